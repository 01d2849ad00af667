# Makes paired.json: P by numerical integration over SciPy's noncentral t, intervals by bisection of it, corrections by statsmodels.
#   pip install scipy statsmodels && python3 paired.py > paired.json
import json
import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import nct, norm, skew, t as student
from statsmodels.stats.multitest import multipletests


def corrected(t, s):
    return t + s * t**2 / 3 + s**2 * t**3 / 27 + s / 6


def moments(d):
    n = len(d)
    return np.std(d, ddof=1) / n**0.5, skew(d, bias=False) / n**0.5 * (1 + 4 / n)


def p(d):
    """Of a mean of 0: the mixture of noncentral t over effects that a normal law with variance 9 draws, over that without an effect."""
    n, (se, s) = len(d), moments(d)
    t = np.mean(d) / se
    h = corrected(t, s)
    t = 0 if t * h < 0 else min(t, h, key=abs)
    # the density of the noncentral t as a function of its parameter, about its peak
    ratio = quad(lambda e: nct.pdf(t, n - 1, e * n**0.5) * norm.pdf(e, 0, 3), -40, 40, points=[t / n**0.5, 0], epsabs=1e-15, limit=400)[0]
    return float(min(1, max(2 * 0.75**n, student.pdf(t, n - 1) / ratio)))


def end(d, level, outside, inside):
    """Between the two, where P passes the level."""
    return float(brentq(lambda at: np.log(p(np.asarray(d) - at) / level), outside, inside, xtol=1e-9))


def once(d):
    """All that Student's t or the corrected one leaves in."""
    se, s = moments(d)
    c = student.ppf(0.975, len(d) - 1)
    back = [brentq(lambda t: corrected(t, s) - h, -1e4, 1e4, xtol=1e-12) for h in (c, -c)]
    return [float(np.mean(d) - se * max(c, back[0])), float(np.mean(d) - se * min(-c, back[1]))]


rng = np.random.default_rng(7)
pairs = []
for n in [6, 10, 14, 20, 40, 90]:
    for draw in [lambda: rng.normal(0.6, 1, n), lambda: rng.exponential(1, n) - 0.4]:
        d = [round(float(x), 3) for x in draw()]
        m, wide = float(np.mean(d)), float(np.std(d))
        ends = [{"level": level, "low": end(d, level, m - 8 * wide, m - wide / n), "high": end(d, level, m + 8 * wide, m + wide / n)}
                for level in [0.05, 0.2] if 2 * 0.75**n < level]
        pairs.append({"d": d, "p": p(d), "ends": ends, "once": once(d)})
holm = []
for m in range(1, 15):
    ps = [round(float(x), 5) for x in rng.beta(0.3, 2, m)]
    holm.append({"p": ps, "corrected": [float(x) for x in multipletests(ps, 0.05, method="holm")[1]]})
print(json.dumps({"pairs": pairs, "holm": holm}, indent=1))
