"""Solves random problems of fleets, split and whole, with HiGHS.

    python fleet.py > fleet.json      # SciPy 1.17.1

Each problem has what optimize.Fleet has, null for infinite, and the optimum of both, null for none.
"""
import json

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import lil_matrix

rng = np.random.default_rng(4)


def draw(hours, kinds, loads, budget):
    p = {"hours": hours, "budget": None, "kinds": [], "loads": []}
    for k in range(kinds):
        rent = rng.uniform(1, 4)
        bounded, reserves = rng.random() < 0.3, rng.random() < 0.7
        most = int(rng.integers(0, 8)) if reserves else 0
        p["kinds"].append({
            "reserved": round(rent * hours * rng.uniform(0.3, 0.9), 3),
            "least": int(rng.integers(0, most + 1)) if rng.random() < 0.3 else 0, "most": most,
            "rent": [round(rent * rng.uniform(0.6, 1.4), 3) for _ in range(hours)],
            "rentable": int(rng.integers(0, 8)) if bounded and k else None})
    for _ in range(loads):
        low = rng.integers(0, 3, hours)
        p["loads"].append({
            "gamma": [round(rng.uniform(0.2, 3), 3) if k == 0 or rng.random() < 0.85 else None for k in range(kinds)],
            "penalty": round(rng.uniform(0, 6), 3),
            "low": low.tolist(), "high": (low + rng.integers(0, 6, hours)).tolist()})
    if budget:
        spent = solve(p, False)[1]
        p["budget"] = round(spent * rng.uniform(0.75, 0.98), 3)
    p["split"], _ = solve(p, False)
    p["whole"], _ = solve(p, True)
    return p


def solve(p, whole):
    """The cost of machines and of penalties, and that of machines."""
    hours, kinds, loads = p["hours"], p["kinds"], p["loads"]
    k, n = len(kinds), len(loads)
    rent = lambda t, i: k + t * k + i
    job = lambda t, j, i: k + hours * k + (t * n + j) * k + i
    size = k + hours * k * (1 + n)
    money, cost = np.zeros(size), np.zeros(size)
    low, high = np.zeros(size), np.full(size, np.inf)
    a, lo, up = lil_matrix((hours * (k + n) + 1, size)), [], []
    for i, kind in enumerate(kinds):
        money[i], low[i], high[i] = kind["reserved"], kind["least"], kind["most"]
    row = 0
    for t in range(hours):
        for i, kind in enumerate(kinds):
            money[rent(t, i)] = kind["rent"][t]
            if kind["rentable"] is not None:
                high[rent(t, i)] = kind["rentable"]
            a[row, i] = a[row, rent(t, i)] = -1
            for j, load in enumerate(loads):
                if load["gamma"][i] is None:
                    high[job(t, j, i)] = 0
                else:
                    a[row, job(t, j, i)] = load["gamma"][i]
            lo.append(-np.inf), up.append(0)
            row += 1
        for j, load in enumerate(loads):
            for i in range(k):
                a[row, job(t, j, i)] = 1
                cost[job(t, j, i)] = -load["penalty"]
            lo.append(load["low"][t]), up.append(load["high"][t])
            row += 1
    a[row, :] = money
    lo.append(-np.inf), up.append(np.inf if p["budget"] is None else p["budget"])
    found = milp(cost + money, integrality=[int(whole)] * size, bounds=Bounds(low, high),
                 constraints=[LinearConstraint(a.tocsr(), lo, up)], options={"mip_rel_gap": 1e-9, "time_limit": 60})
    if found.status == 2:
        return None, None
    assert found.status == 0, found.message
    all_rejected = sum(load["penalty"] * sum(load["high"]) for load in loads)
    return float(found.fun + all_rejected), float(money @ found.x)


problems = []
for shape in [(1, 2, 3), (1, 4, 8), (2, 3, 4), (4, 2, 3), (6, 3, 5), (12, 3, 6), (24, 2, 4)]:
    problems += [draw(*shape, budget) for budget in (False, False, True)]
print("[\n" + ",\n".join(json.dumps(p, separators=(",", ":")) for p in problems) + "\n]")
