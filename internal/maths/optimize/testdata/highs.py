"""Solves random linear and mixed problems, and problems of capacity, with HiGHS.

    python highs.py > highs.json      # SciPy 1.17.1

Each problem has its cost, the bounds of its variables (null for none), its rows as lower bound, upper
bound and [variable, coefficient, ...], which variables are whole, and what HiGHS found.
"""
import json

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

rng = np.random.default_rng(18)


def solve(name, cost, lower, upper, rows, whole):
    n = len(cost)
    a = np.zeros((len(rows), n))
    for i, (_, _, terms) in enumerate(rows):
        for j, c in zip(terms[::2], terms[1::2]):
            a[i, int(j)] = c
    constraints = [LinearConstraint(a, [r[0] for r in rows], [r[1] for r in rows])] if rows else []
    found = milp(cost, integrality=[int(whole)] * n, bounds=Bounds(lower, upper), constraints=constraints,
                 options={"mip_rel_gap": 0})
    status = {0: "optimal", 2: "infeasible", 3: "unbounded"}[found.status]
    finite = lambda x: float(x) if np.isfinite(x) else None
    return {
        "name": name, "cost": list(map(float, cost)),
        "lower": list(map(finite, lower)), "upper": list(map(finite, upper)),
        "rows": [[finite(r[0]), finite(r[1]), list(map(float, r[2]))] for r in rows],
        "whole": whole, "status": status, "optimum": float(found.fun) if status == "optimal" else None,
    }


def random(n, m, whole):
    """A problem with a solution, but for one in eight."""
    digits = 0 if whole else 3
    lower = np.round(rng.uniform(-5, 5, n), digits)
    upper = lower + np.round(rng.uniform(0, 8, n), digits)
    if not whole:
        lower[rng.random(n) < 0.1] = -np.inf
        upper[rng.random(n) < 0.1] = np.inf
    point = np.clip(np.round(rng.uniform(-5, 8, n)), lower, upper)
    rows = []
    for _ in range(m):
        js = np.flatnonzero(rng.random(n) < 0.4)
        cs = np.round(rng.normal(0, 5, len(js)), digits)
        at = float(np.round(cs @ point[js], 6))
        low, up = [(at, at), (-np.inf, at + 1), (at - 2, np.inf), (at - 3, at + 3)][rng.integers(4)]
        if rng.random() < 0.125 / m:
            low, up = up + 1000, np.inf
            low = low if np.isfinite(low) else at + 1000
        rows.append((low, up, [x for j, c in zip(js, cs) for x in (j, c)]))
    return np.round(rng.normal(0, 10, n), digits), lower, upper, rows


def capacity(n, whole):
    """P2 of paper 004: jobs of each class, then machines reserved and on demand."""
    gamma = np.round(rng.uniform(0.05, 8, n), 3)
    delta = float(np.round(rng.uniform(5, 40), 2))
    rho = float(np.round(delta * rng.uniform(0.1, 0.99), 2))
    low = rng.integers(0, 5, n).astype(float)
    high = low + rng.integers(0, 6, n)
    penalty = np.round(gamma * delta * rng.uniform(0, 1.4, n), 3)
    limit = float(np.floor(gamma @ high * rng.uniform(0, 1.2)))
    terms = [x for j in range(n) for x in (j, gamma[j])] + [n, -1, n + 1, -1]
    return (np.append(-penalty, [rho, delta]), np.append(low, [0, 0]), np.append(high, [limit, np.inf]),
            [(-np.inf, 0, terms)])


problems = []
for n, m in [(3, 2), (5, 5), (8, 4), (12, 12), (20, 10), (20, 30), (40, 15)]:
    problems += [solve(f"linear {n}x{m}", *random(n, m, False), False) for _ in range(5)]
for n, m in [(4, 2), (6, 4), (8, 6), (10, 3)]:
    problems += [solve(f"mixed {n}x{m}", *random(n, m, True), True) for _ in range(4)]
for n in [1, 3, 10, 40]:
    problems += [solve(f"capacity {n}", *capacity(n, False), False) for _ in range(3)]
    problems += [solve(f"whole capacity {n}", *capacity(n, True), True) for _ in range(3)]
print("[\n" + ",\n".join(json.dumps(p, separators=(",", ":")) for p in problems) + "\n]")
