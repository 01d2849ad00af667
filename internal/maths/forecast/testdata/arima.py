# Makes arima.json: ARIMA models and exponential smoothing by statsmodels, regressions by NumPy.
#   pip install numpy statsmodels && python3 arima.py > arima.json
import json
import warnings
import numpy as np
from statsmodels.tsa.statespace.sarimax import SARIMAX
from statsmodels.tsa.holtwinters import ExponentialSmoothing
from statsmodels.tsa.arima_process import ArmaProcess
from statsmodels.tsa.stattools import kpss
from scipy.optimize import least_squares

warnings.simplefilter("ignore")
rng = np.random.default_rng(17)


def draw(ar, ma, d, n, mean=0.0, missing=0, unit=1.0):
    x = ArmaProcess(np.r_[1, -np.array(ar)], np.r_[1, ma]).generate_sample(n, distrvs=rng.standard_normal, burnin=200) + mean
    for _ in range(d):
        x = np.cumsum(x)
    x = np.round(x, 4)
    if missing:
        x[rng.choice(np.arange(5, n), missing, replace=False)] = np.nan
    return x * unit


def plain(x):
    return [None if np.isnan(v) else float(v) for v in x]


def exact(x, p, d, q, mean):
    unit = np.nanstd(np.diff(x, d)) if d else np.nanstd(x)
    middle = np.nanmean(x) if mean and d == 0 else 0
    m = SARIMAX((x - middle) / unit, order=(p, d, q), trend="c" if mean else None, use_exact_diffuse=d > 0)
    r = m.fit(method="lbfgs", maxiter=500, factr=10, pgtol=1e-9, disp=0)
    for _ in range(2):
        r = max([r, m.fit(start_params=r.params, method="bfgs", maxiter=200, gtol=1e-8, disp=0)], key=lambda r: r.llf)
    n = int((~np.isnan(x)).sum()) - d
    f = r.get_forecast(6)
    k = p + q + mean + 1
    # statsmodels counts log(2 pi) for the d values that are given, too
    llf = r.llf - n * np.log(unit) + d * np.log(2 * np.pi) / 2
    # statsmodels' trend is the constant of the recursion, not the mean
    phi = r.arparams if p else np.zeros(0)
    level = r.params[0] / (1 - phi.sum()) * unit + middle if mean else 0.0
    return {"values": plain(x), "order": {"p": p, "d": d, "q": q, "mean": bool(mean)}, "ar": phi.tolist(),
            "ma": r.maparams.tolist() if q else [], "mean": float(level), "variance": float(r.params[-1] * unit**2),
            "llf": float(llf), "aicc": float(-2 * llf + 2 * k + 2 * k * (k + 1) / (n - k - 1)),
            "mid": (f.predicted_mean * unit + middle).tolist(), "deviation": (f.se_mean * unit).tolist()}


def conditional(x, p, q):
    def shocks(par):
        e = np.zeros(len(x))
        for t in range(p, len(x)):
            e[t] = x[t] - sum(par[i] * x[t - 1 - i] for i in range(p)) - sum(par[p + i] * e[t - 1 - i] for i in range(min(q, t)))
        return e
    r = least_squares(shocks, np.full(p + q, 0.1), xtol=1e-15, ftol=1e-15, gtol=1e-15)
    return {"values": x.tolist(), "p": p, "q": q, "ar": r.x[:p].tolist(), "ma": r.x[p:].tolist(), "squares": float(2 * r.cost)}


def regression(x, p):
    rows = np.array([x[t - p:t][::-1] for t in range(p, len(x))])
    a, squares, _, _ = np.linalg.lstsq(rows, x[p:], rcond=None)
    h = list(x)
    for _ in range(5):
        h.append(float(np.dot(a, h[::-1][:p])))
    return {"values": x.tolist(), "p": p, "a": a.tolist(), "variance": float(squares[0] / (len(rows) - p)), "mid": h[len(x):]}


def smoothing(x, m, alpha, beta, gamma):
    first, second = x[:m].mean(), x[m:2 * m].mean()
    level, trend, season = first, (second - first) / m, x[:m] - first
    model = ExponentialSmoothing(x[m:], trend="add", seasonal="add" if m > 1 else None, seasonal_periods=m if m > 1 else None,
                                 initialization_method="known", initial_level=level, initial_trend=trend,
                                 **({"initial_seasonal": season} if m > 1 else {}))
    r = model.fit(smoothing_level=alpha, smoothing_trend=beta,
                  **({"smoothing_seasonal": gamma * (1 - alpha)} if m > 1 else {}), optimized=False)
    # the forecast by the textbook: that of statsmodels leaves out the last update of the season
    season = season if m > 1 else np.zeros(1)
    for t in range(m, len(x)):
        old, i = level, t % m
        level = alpha * (x[t] - season[i]) + (1 - alpha) * (old + trend)
        season[i] = gamma * (x[t] - level) + (1 - gamma) * season[i] if m > 1 else 0
        trend = beta * (level - old) + (1 - beta) * trend
    mid = [float(level + h * trend + season[(len(x) + h - 1) % m]) for h in range(1, 2 * m + 2)]
    return {"values": x.tolist(), "period": m, "alpha": alpha, "beta": beta, "gamma": gamma, "sse": float(r.sse),
            "mid": mid}


t = np.arange(96)
wavy = np.round(20 + 0.1 * t + 5 * np.sin(t / 12 * 2 * np.pi) + rng.standard_normal(96), 3)
walk = np.cumsum(rng.standard_normal(200))
print(json.dumps({
    "exact": [
        exact(draw([0.6], [], 0, 120), 1, 0, 0, 0),
        exact(draw([], [0.5], 0, 150, 10), 0, 0, 1, 1),
        exact(draw([0.9, -0.5, 0.2], [], 0, 144, 50), 3, 0, 0, 1),
        exact(draw([0.7], [0.4], 0, 200, 0, 30), 1, 0, 1, 0),
        exact(draw([0.5, 0.2], [0.6, 0.3], 0, 300, -4), 2, 0, 2, 1),
        exact(draw([0.5], [0.3], 1, 200), 1, 1, 1, 0),
        exact(draw([0.5], [], 1, 150, 0.4, 25), 1, 1, 0, 1),
        exact(draw([0.4, -0.3, 0.2], [0.5], 1, 500), 3, 1, 1, 0),
        exact(draw([0.4], [0.5], 2, 120), 1, 2, 1, 0),
        exact(draw([], [-0.6], 2, 120, 0, 12), 0, 2, 1, 0),
        exact(draw([0.98], [], 0, 300), 1, 0, 0, 0),
        exact(draw([0.6], [0.3], 1, 150, 0, 0, 1e12), 1, 1, 1, 0),
        exact(draw([1.6, -0.64], [0.2], 0, 250), 2, 0, 1, 0),
    ],
    "conditional": [conditional(draw([0.5], [0.4], 0, 120), 1, 1), conditional(draw([0.9, -0.4], [], 0, 100), 2, 0),
                    conditional(draw([0.4, 0.2], [0.5, 0.2], 0, 200), 2, 2)],
    "regression": [regression(draw([0.6, 0.2, 0.1], [], 0, 144, 20), 3), regression(draw([0.9], [], 0, 40), 1)],
    "smoothing": [smoothing(wavy, 12, 0.3, 0.1, 0.2), smoothing(wavy, 1, 0.4, 0.2, 0.0)],
    "kpss": [{"values": x.tolist(), "statistic": float(kpss(x, "c", nlags=int(4 * (len(x) / 100) ** 0.25))[0])} for x in (walk, np.diff(walk))],
}))
