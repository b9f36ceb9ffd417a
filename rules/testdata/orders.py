"""Writes orders.jsonl: derivatives of the rows up to order 4 at chosen points,
extreme ones included, from definitions that share nothing with the table, by
mpmath at 80 digits (pip install mpmath).

    python3 orders.py > orders.jsonl

A line is {"row", "at", "res", "d": {"xxy": value, ...}}: "at" holds the free
arguments, ints first where the function has them first; "res" is the result.
"""
import itertools
import json
from mpmath import *

mp.dps = 80


def lgam(x):
    return log(abs(gamma(x)))


def pw(x, y):
    return exp(y * log(x))


def hyp(x, y):
    return sqrt(x * x + y * y)


def sig(x):
    return 1 / (1 + exp(-x))


def gate(x):
    return sig(2 * sqrt(2 / pi) * (x + mpf("0.044715") * x**3))


def lae(x, y):
    return log(exp(x) + exp(y))


def psin(n):
    return lambda x: psi(n, x)


# One float variable: name, function, points.
ONE = [
    ("math.Sqrt", sqrt, [0.3, 4, 1e-8, 1e12]),
    ("rt.SqrtSlope", lambda r: 1 / (2 * r), [0.3, -2]),
    ("math.Cbrt", lambda x: sign(x) * abs(x) ** (mpf(1) / 3), [0.3, -27, 1e-6]),
    ("math.Exp", exp, [-20, 0.4, 300]),
    ("math.Exp2", lambda x: mpf(2) ** x, [-3.25, 100.5]),
    ("math.Expm1", expm1, [-30, 1e-9, 2]),
    ("math.Log", log, [1e-5, 0.4, 1e10]),
    ("math.Log2", lambda x: log(x) / log(mpf(2)), [0.001, 3, 1e4]),
    ("math.Log10", lambda x: log(x) / log(mpf(10)), [0.5, 300]),
    ("math.Log1p", log1p, [-0.999, 1e-9, 3]),
    ("math.Sin", sin, [-2, 0.4, 100]),
    ("math.Cos", cos, [-2, 0.4, 100]),
    ("math.Tan", tan, [-1.3, 0.4, 1.5]),
    ("math.Asin", asin, [-0.99, 0.1, 0.999]),
    ("math.Acos", acos, [-0.99, 0.1, 0.999]),
    ("rt.AsinSlope", lambda x: 1 / sqrt(1 - x * x), [-0.99, 0.1]),
    ("math.Atan", atan, [-30, 0.4, 1e8]),
    ("rt.AtanSlope", lambda x: 1 / (1 + x * x), [-30, 0.4]),
    ("rt.SinAtan", lambda x: x / sqrt(1 + x * x), [-30, 0.4]),
    ("math.Sinh", sinh, [-3, 0.01, 100]),
    ("math.Cosh", cosh, [-3, 0.01, 100]),
    ("math.Tanh", tanh, [0.3, -1.1, 2.4, 5, 20]),
    ("rt.TanhSlope", lambda x: sech(x) ** 2, [0.3, -1.1, 2.5, 20]),
    ("math.Asinh", asinh, [-40, 0.5, 1e60]),
    ("rt.AsinhSlope", lambda x: 1 / sqrt(1 + x * x), [-40, 0.5]),
    ("math.Acosh", acosh, [1.0001, 3, 1e60]),
    ("rt.AcoshSlope", lambda x: 1 / sqrt(x * x - 1), [1.0001, 3]),
    ("math.Atanh", atanh, [-0.99, 0.1, 0.999]),
    ("math.Erf", erf, [-3, 0.5, 2]),
    ("math.Erfc", erfc, [-3, 0.5, 10]),
    ("math.Erfinv", erfinv, [-0.9, 0.5]),
    ("math.Erfcinv", lambda x: erfinv(1 - x), [0.3, 1.5]),
    ("math.Gamma", gamma, [-1.5, 0.5, 2.5, 20]),
    ("math.Lgamma", lgam, [-1.5, 0.5, 1.4, 1000]),
    ("rt.Digamma", psin(0), [-1.5, 0.5, 1000]),
    ("rt.Trigamma", psin(1), [-1.5, 0.5, 1000]),
    ("math.J0", lambda x: besselj(0, x), [-2, 0.4, 7]),
    ("math.J1", lambda x: besselj(1, x), [-2, 0.4, 7]),
    ("math.Y0", lambda x: bessely(0, x), [0.4, 7]),
    ("math.Y1", lambda x: bessely(1, x), [0.4, 7]),
    ("rt.Sigmoid", sig, [-100, -1, 0.75, 1.5, 20]),
    ("rt.SigmoidSlope", lambda x: sig(x) * sig(-x), [-100, -1, 2, 20]),
    ("rt.Softplus", lambda x: log(1 + exp(x)), [-100, -1, 0.75, 20]),
    ("rt.SiLU", lambda x: x * sig(x), [-50, -0.5, 3]),
    ("rt.GELU", lambda x: x * gate(x), [-5, -0.75, 2.5]),
    ("rt.GELUGate", gate, [-5, -0.75, 2.5]),
    ("rt.GELUExact", lambda x: x * ncdf(x), [-20, -3, -0.75, 2.5]),
]

# Two float variables.
TWO = [
    ("math.Pow", pw, [(1.5, 2.5), (0.5, -1.5), (1e-3, 0.7), (40, 12.25)]),
    ("rt.PowSlopeX", lambda x, y: y * pw(x, y - 1), [(1.5, 2.5)]),
    ("rt.PowSlopeP", lambda x, y: pw(x, y) * log(x), [(1.5, 2.5)]),
    ("math.Hypot", hyp, [(3, -4), (1e-3, 7), (3e60, 4e60)]),
    ("rt.HypotSlope", lambda x, y: x / hyp(x, y), [(3, -4)]),
    ("math.Atan2", lambda y, x: atan2(y, x), [(1, 2), (-0.7, 0.3), (1e60, 2e60)]),
    ("rt.Atan2Slope", lambda x, y: x / (x * x + y * y), [(1, 2), (-0.7, 0.3)]),
    ("rt.LogAddExp", lae, [(1, 3), (0.5, 0.4), (2, -40)]),
    ("rt.LogAddExpSlope", lambda x, y: sig(x - y), [(1, 3), (0.5, 0.4)]),
]

# With ints: row, function of all arguments, which are ints, points.
INTS = [
    ("math.Jn", lambda n, x: besselj(n, x), [0], [(2, 3), (5, 7), (-3, 2)]),
    ("math.Yn", lambda n, x: bessely(n, x), [0], [(2, 3), (5, 7), (-3, 2)]),
    ("rt.Polygamma", lambda n, x: psi(n, x), [0], [(1, 0.5), (2, -1.25), (3, 40), (9, -0.75), (13, -0.4), (16, 2)]),
    ("rt.Powi", lambda x, n: x**n, [1], [(1.5, 3), (-0.7, -2), (1.1, 40)]),
    ("rt.PowiDeriv", lambda k, n, x: ff(n, k) * x ** (n - k), [0, 1], [(1, 5, 1.5), (2, -2, -0.7)]),
    ("rt.PowDeriv", None, [0, 1], [(1, 0, 1.5, 2.5), (2, 1, 0.7, -1.5), (0, 2, 3, 0.5)]),
]


def derivatives(f, at):
    """All derivatives of f of order 1 to 4, by the letters of the variables."""
    at = [mpf(a) for a in at]
    d = {}
    for order in itertools.product(range(5), repeat=len(at)):
        if 1 <= sum(order) <= 4:
            v = diff(f, at[0], order[0], h=step(at)) if len(at) == 1 else diff(f, tuple(at), order, h=step(at))
            key = "".join("xyz"[i] * k for i, k in enumerate(order))
            d[key] = float(re(v))
    return d


def step(at):
    return max(abs(a) for a in at) * mpf(10) ** -14


def emit(row, at, d, res=0):
    print(json.dumps({"row": row, "at": at, "res": res, "d": d}))


for row, f, points in ONE:
    for x in points:
        emit(row, [x], derivatives(f, [x]))
for x in [-2, 0.4, 100]:
    emit("math.Sincos", [x], derivatives(sin, [x]), 0)
    emit("math.Sincos", [x], derivatives(cos, [x]), 1)
for row, f, points in TWO:
    for p in points:
        emit(row, list(p), derivatives(f, p))
for row, f, ints, points in INTS:
    for p in points:
        k = len(ints)
        if row == "rt.PowDeriv":
            n, m, x, y = p
            with workdps(80):
                g = lambda x, y: sum(
                    binomial(m, j) * diff(lambda t: ff(t, n), y, j) * log(x) ** (m - j) for j in range(m + 1)
                ) * pw(x, y - n)
            emit(row, list(p), derivatives(g, (x, y)))
        elif ints[0] == 0:
            emit(row, list(p), derivatives(lambda x: f(*p[:k], x), [p[-1]]))
        else:
            emit(row, list(p), derivatives(lambda x: f(x, p[1]), [p[0]]))
