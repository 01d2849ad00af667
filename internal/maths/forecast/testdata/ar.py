# Makes ar.json: regressions by NumPy.
#   pip install numpy && python3 ar.py > ar.json
import json
import numpy as np

rng = np.random.default_rng(17)


def draw(ar, n, mean=0.0):
    x = np.zeros(n + 200)
    for t in range(len(x)):
        x[t] = sum(a * x[t - 1 - i] for i, a in enumerate(ar) if t > i) + rng.standard_normal()
    return np.round(x[200:] + mean, 4)


def regression(x, p):
    rows = np.array([x[t - p:t][::-1] for t in range(p, len(x))])
    a, squares, _, _ = np.linalg.lstsq(rows, x[p:], rcond=None)
    h = list(x)
    for _ in range(5):
        h.append(float(np.dot(a, h[::-1][:p])))
    return {"values": x.tolist(), "p": p, "a": a.tolist(), "variance": float(squares[0] / (len(rows) - p)), "mid": h[len(x):]}


print(json.dumps({"regression": [regression(draw([0.6, 0.2, 0.1], 144, 20), 3), regression(draw([0.9], 40), 1)]}))
