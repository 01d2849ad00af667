# Makes paired.json: sign-flip tests by SciPy, intervals by bisection of its P, corrections by statsmodels.
#   pip install scipy statsmodels && python3 paired.py > paired.json
import json
import numpy as np
from scipy.stats import permutation_test
from statsmodels.stats.multitest import multipletests


def p(d):
    return permutation_test((np.asarray(d),), lambda x, axis: x.mean(axis=axis), permutation_type="samples",
                            vectorized=True, n_resamples=np.inf, alternative="two-sided").pvalue


def end(d, level, outside, inside):
    """Between the two, where P passes the level."""
    for _ in range(45):
        at = (outside + inside) / 2
        if p(np.asarray(d) - at) < level:
            outside = at
        else:
            inside = at
    return inside


rng = np.random.default_rng(7)
pairs = []
for n in [6, 7, 8, 9, 10, 11]:
    for draw in [lambda: rng.normal(0.6, 1, n), lambda: rng.exponential(1, n) - 0.4]:
        d = [round(float(x), 3) for x in draw()]
        ends = [{"level": level, "low": end(d, level, -99, np.mean(d)), "high": end(d, level, 99, np.mean(d))}
                for level in [0.05, 0.2] if 2 / 2**n < level]
        pairs.append({"d": d, "p": p(d), "ends": ends})
holm = []
for m in range(1, 15):
    ps = [round(float(x), 5) for x in rng.beta(0.3, 2, m)]
    holm.append({"p": ps, "corrected": [float(x) for x in multipletests(ps, 0.05, method="holm")[1]]})
print(json.dumps({"pairs": pairs, "holm": holm}, indent=1))
