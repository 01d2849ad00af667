"""Solves random convex quadratic problems with Clarabel and OSQP.

    python quadratic.py > quadratic.json      # clarabel 0.11.1, osqp 1.1.3, scipy 1.17.1

Each problem has blocks (Hessian, cost, bounds; null for none), shared rows with upper bounds and penalties (0 = hard),
and what Clarabel found: status, optimum and prices. Where OSQP, polished, disagrees on an optimum, the script stops.
"""
import json

import clarabel
import numpy as np
import osqp
from scipy import sparse

rng = np.random.default_rng(17)


def problem(jobs, steps, scale, tight, soft):
    n = 2 * steps
    blocks = []
    for _ in range(jobs):
        g = rng.normal(size=(steps, n)) / scale
        owed = rng.uniform(0.2, 2, steps)
        blocks.append({
            "hessian": (g.T @ g + 1e-3 / scale**2 * np.eye(n)).tolist(), "cost": (-g.T @ owed).tolist(),
            "lower": [0.0] * n, "upper": (rng.uniform(0.1, 3, n) * scale).tolist(),
            "shares": np.kron(np.eye(steps), [1.0, 1.0]).tolist()})
    return {"blocks": blocks, "upper": (rng.uniform(0.1, 1, steps) * tight * jobs * scale).tolist(),
            "penalty": [0.3 / scale if soft else 0.0] * steps}


def solve(p, name):
    bs, m = p["blocks"], len(p["upper"])
    soft = p["penalty"][0] > 0
    h = sparse.block_diag([np.array(b["hessian"]) for b in bs] + ([sparse.csc_matrix((m, m))] if soft else []), format="csc")
    c = np.concatenate([b["cost"] for b in bs] + ([p["penalty"]] if soft else []))
    n = len(c) - (m if soft else 0)
    rows = np.hstack([np.array(b["shares"]) for b in bs])
    if soft:
        rows = np.hstack([rows, -np.eye(m)])
    lower = np.concatenate([b["lower"] for b in bs] + ([[0.0] * m] if soft else []))
    upper = np.concatenate([b["upper"] for b in bs] + ([[1e20] * m] if soft else []))
    eye = np.eye(len(c))
    keep = upper < 1e19
    a = np.vstack([rows, eye[keep], -eye])
    right = np.concatenate([p["upper"], upper[keep], -lower])
    s = clarabel.DefaultSettings()
    s.verbose, s.tol_gap_abs, s.tol_gap_rel, s.tol_feas = False, 1e-11, 1e-11, 1e-11
    found = clarabel.DefaultSolver(sparse.triu(h, format="csc"), c, sparse.csc_matrix(a), right,
                                   [clarabel.NonnegativeConeT(len(right))], s).solve()
    status = {"Solved": "optimal", "AlmostSolved": "optimal", "PrimalInfeasible": "infeasible"}[str(found.status)]
    p.update(name=name, status=status)
    if status == "optimal":
        second = osqp.OSQP()
        second.setup(h, c, sparse.csc_matrix(a), np.full(len(right), -np.inf), right, verbose=False, eps_abs=1e-9,
                     eps_rel=1e-9, max_iter=400000, polishing=True)
        other = second.solve()
        if abs(other.info.obj_val - found.obj_val) > 1e-5 * (1 + abs(found.obj_val)):
            raise SystemExit(f"{name}: Clarabel {found.obj_val}, OSQP {other.info.obj_val} {other.info.status}")
        p.update(optimum=found.obj_val, prices=(-np.array(found.z[:m])).tolist())
    return p


out = []
for name, jobs, steps, scale, tight, soft, least in [
        ("ample", 3, 3, 1, 20, False, 0), ("tight", 9, 3, 1, 0.3, False, 0), ("tighter", 6, 4, 1, 0.01, False, 0),
        ("large numbers", 4, 3, 1e5, 0.3, False, 0), ("small numbers", 4, 3, 1e-5, 0.3, False, 0),
        ("soft", 5, 3, 1, 0.1, True, 0), ("one step", 4, 1, 1, 0.5, False, 0), ("too little", 4, 2, 1, 0.1, False, 0.5)]:
    p = problem(jobs, steps, scale, tight, soft)
    for b in p["blocks"]:
        b["lower"] = [least * u for u in b["upper"]]
    out.append(solve(p, name))
print("[" + ",\n".join(json.dumps(p) for p in out) + "]")
