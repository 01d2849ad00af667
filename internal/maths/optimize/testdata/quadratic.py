"""Solves random convex quadratic problems with Clarabel and OSQP.

    python quadratic.py > quadratic.json      # clarabel 0.11.1, osqp 1.1.3, scipy 1.17.1

Each problem has blocks (Hessian, cost, upper bounds), upper bounds of shared rows, and what Clarabel found: optimum and prices. Where OSQP, polished, disagrees on an optimum, the script stops.
"""
import json

import clarabel
import numpy as np
import osqp
from scipy import sparse

rng = np.random.default_rng(17)


def problem(jobs, steps, scale, tight):
    n = 2 * steps
    blocks = []
    for _ in range(jobs):
        g = rng.normal(size=(steps, n)) / scale
        owed = rng.uniform(0.2, 2, steps)
        blocks.append({
            "hessian": (g.T @ g + 1e-3 / scale**2 * np.eye(n)).tolist(), "cost": (-g.T @ owed).tolist(),
            "upper": (rng.uniform(0.1, 3, n) * scale).tolist(),
            "shares": np.kron(np.eye(steps), [1.0, 1.0]).tolist()})
    return {"blocks": blocks, "upper": (rng.uniform(0.1, 1, steps) * tight * jobs * scale).tolist()}


def solve(p, name):
    bs, m = p["blocks"], len(p["upper"])
    h = sparse.block_diag([np.array(b["hessian"]) for b in bs], format="csc")
    c = np.concatenate([b["cost"] for b in bs])
    upper = np.concatenate([b["upper"] for b in bs])
    eye = np.eye(len(c))
    a = np.vstack([np.hstack([np.array(b["shares"]) for b in bs]), eye, -eye])
    right = np.concatenate([p["upper"], upper, np.zeros(len(c))])
    s = clarabel.DefaultSettings()
    s.verbose, s.tol_gap_abs, s.tol_gap_rel, s.tol_feas = False, 1e-11, 1e-11, 1e-11
    found = clarabel.DefaultSolver(sparse.triu(h, format="csc"), c, sparse.csc_matrix(a), right,
                                   [clarabel.NonnegativeConeT(len(right))], s).solve()
    if str(found.status) not in ("Solved", "AlmostSolved"):
        raise SystemExit(f"{name}: {found.status}")
    second = osqp.OSQP()
    second.setup(h, c, sparse.csc_matrix(a), np.full(len(right), -np.inf), right, verbose=False, eps_abs=1e-9,
                 eps_rel=1e-9, max_iter=400000, polishing=True)
    other = second.solve()
    if abs(other.info.obj_val - found.obj_val) > 1e-5 * (1 + abs(found.obj_val)):
        raise SystemExit(f"{name}: Clarabel {found.obj_val}, OSQP {other.info.obj_val} {other.info.status}")
    p.update(name=name, optimum=found.obj_val, prices=(-np.array(found.z[:m])).tolist())
    return p


out = []
for name, jobs, steps, scale, tight in [
        ("ample", 3, 3, 1, 20), ("tight", 9, 3, 1, 0.3), ("tighter", 6, 4, 1, 0.01), ("large numbers", 4, 3, 1e5, 0.3),
        ("small numbers", 4, 3, 1e-5, 0.3), ("one step", 4, 1, 1, 0.5)]:
    out.append(solve(problem(jobs, steps, scale, tight), name))
print("[\n" + ",\n".join(json.dumps(p) for p in out) + "\n]")
