"""Solves the problems of TestRandomProblems with Clarabel.

    go test ./internal/maths/optimize -run TestRandomProblems -random /tmp/random.in
    python quadratickinds.py /tmp/random.in > quadratickinds.json      # clarabel 0.11.1, scipy 1.17.1

For each problem what Clarabel found: status and optimum. Where it does not solve one at 1e-11 it is asked at 1e-9.
"""
import json
import sys

import clarabel
import numpy as np
from scipy import sparse


def solve(p, tolerance):
    n, rows = len(p["C"]), p["A"] or []
    soft = [i for i, w in enumerate(p["Penalty"] or []) if w > 0]
    m = n + len(soft)
    h = sparse.lil_matrix((m, m))
    h[:n, :n] = np.array(p["H"])
    c = np.concatenate([p["C"], [p["Penalty"][i] for i in soft]])
    equal, right, below, limit = [], [], [], []

    def bound(row, low, high, excess):
        wide = np.zeros(m)
        wide[:n] = row
        if low is not None and low == high and excess is None:
            equal.append(wide)
            right.append(low)
            return
        for sign, at in ((1, high), (-1, low)):
            if at is not None:
                one = sign * wide
                if excess is not None:
                    one[excess] = -1
                below.append(one)
                limit.append(sign * at)

    for i in range(n):
        bound(np.eye(n)[i], p["Lower"][i], p["Upper"][i], None)
    for i, row in enumerate(rows):
        bound(row, p["Lower"][n + i], p["Upper"][n + i], n + soft.index(i) if i in soft else None)
    for k in range(len(soft)):
        one = np.zeros(m)
        one[n + k] = -1
        below.append(one)
        limit.append(0)
    below.append(np.zeros(m))
    limit.append(1)  # so that there is a row
    s = clarabel.DefaultSettings()
    s.verbose, s.tol_gap_abs, s.tol_gap_rel, s.tol_feas, s.max_iter = False, tolerance, tolerance, tolerance, 500
    found = clarabel.DefaultSolver(sparse.triu(h, format="csc"), c, sparse.csc_matrix(np.array(equal + below)),
                                   np.array(right + limit), [clarabel.ZeroConeT(len(equal)), clarabel.NonnegativeConeT(len(below))], s).solve()
    return str(found.status), found.obj_val


out = []
for p in json.load(open(sys.argv[1])):
    for tolerance in (1e-11, 1e-9, 1e-8):
        status, optimum = solve(p, tolerance)
        if status in ("Solved", "PrimalInfeasible"):
            break
    if status not in ("Solved", "PrimalInfeasible"):
        print(len(out), status, file=sys.stderr)
    out.append({"status": "infeasible"} if status.endswith("PrimalInfeasible") else {"status": "optimal", "optimum": float("%.12g" % optimum)})
print("[" + ",\n".join(json.dumps(o) for o in out) + "]")
