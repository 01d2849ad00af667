"""Makes oracle.json: fits that SciPy and statsmodels make of the same numbers (SciPy 1.17, statsmodels 0.15).

  python3 -m venv v && v/bin/pip install scipy statsmodels && v/bin/python oracle.py
"""

import json
import numpy as np
from scipy import optimize, stats
import statsmodels.api as sm
from statsmodels.formula.api import ols
import pandas as pd

rng = np.random.default_rng(16)
SOFT = 0.25


def objective(p, x, y, w):
    r = (y - np.log(np.maximum(x @ p, 1e-9))) / SOFT
    return float(np.sum(w * 2 * (np.sqrt(1 + r * r) - 1)))


def best_line(x, y, w):
    best = None
    level = float(np.exp(np.median(y)))
    for part in (np.eye(x.shape[1]) + 0.1, np.ones((1, x.shape[1])) / x.shape[1]):
        for start in part:
            got = optimize.minimize(objective, level * start, (x, y, w), method="L-BFGS-B",
                                    bounds=[(0, None)] * x.shape[1], options=dict(maxiter=10000, ftol=1e-15, gtol=1e-12))
            got = optimize.minimize(objective, got.x, (x, y, w), method="Nelder-Mead", bounds=[(0, None)] * x.shape[1],
                                    options=dict(maxiter=20000, xatol=1e-10 * level, fatol=1e-13))
            if best is None or got.fun < best.fun:
                best = got
    return best


lines = []
for true, n, noise, spoilt in (((5, 2, 0), 60, 0.1, 0), ((0, 3, 0), 80, 0.3, 0), ((4, 0, 0), 50, 0.2, 0), ((1, 1, 0), 200, 0.2, 0.1),
                               ((0.1, 5, 0), 40, 0.5, 0.05), ((2, 1, 3), 120, 0.1, 0), ((1, 0, 2), 150, 0.3, 0.05), ((0.5, 2, 0), 7, 0.05, 0)):
    used = 3 if true[2] else 2
    x = np.column_stack([np.ones(n), rng.exponential(1, n), rng.exponential(1, n)])[:, :used]
    y = np.log(x @ np.array(true[:used])) + noise * rng.standard_normal(n)
    y += np.where(rng.random(n) < spoilt, np.log(20), 0)
    w = rng.uniform(0.1, 1, n)
    got = best_line(x, y, w)
    lines.append(dict(used=used, x=x.tolist(), y=y.tolist(), weights=w.tolist(), coefficients=got.x.tolist(), objective=got.fun))

tails = []
for shape, size in ((0, 1), (0.2, 2), (0.5, 0.3)):
    x = np.sort(stats.genpareto.rvs(shape, scale=size, size=400, random_state=rng))
    k = len(x)
    mean = x.mean()
    moment = float(np.sum(x * (1 - (np.arange(k) + 0.5) / k)) / k)
    kappa = mean / (mean - 2 * moment) - 2  # Hosking and Wallis 1987, who write -kappa for the shape
    ps = [0.5, 0.1, 0.01, 0.001]
    tails.append(dict(excess=x.tolist(), shape=-kappa, likeliest=float(stats.genpareto.fit(x, floc=0)[0]), at=dict(shape=shape, size=size),
                      beyond=ps, quantiles=[float(stats.genpareto.isf(p, shape, scale=size)) for p in ps]))

groups = []
for shared, own, jobs, most in ((0.3, 0.2, 60, 8), (0.05, 0.4, 60, 8), (0.5, 0.5, 40, 12)):
    data = []
    for g in range(jobs):
        e = shared * rng.standard_normal()
        data.append((e + own * rng.standard_normal(rng.integers(1, most + 1))).tolist())
    frame = pd.DataFrame([(g, y) for g, ys in enumerate(data) for y in ys], columns=["g", "y"])
    table = sm.stats.anova_lm(ols("y ~ C(g)", frame).fit())
    between, within = table["mean_sq"]["C(g)"], table["mean_sq"]["Residual"]
    sizes = frame.groupby("g").size().to_numpy()
    typical = (sizes.sum() - (sizes**2).sum() / sizes.sum()) / (len(sizes) - 1)
    reml = sm.MixedLM.from_formula("y ~ 1", frame, groups="g").fit(reml=True)
    groups.append(dict(jobs=data, own=float(np.sqrt(within)), shared=float(np.sqrt(max(0, (between - within) / typical))),
                       reml_own=float(np.sqrt(reml.scale)), reml_shared=float(np.sqrt(reml.cov_re.iloc[0, 0]))))

short = json.loads(json.dumps(dict(lines=lines, tails=tails, groups=groups)), parse_float=lambda x: float("%.12g" % float(x)))
json.dump(short, open("oracle.json", "w"), separators=(",", ":"))
