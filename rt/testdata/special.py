"""Writes special.jsonl: values of special functions and slopes by mpmath at
60 digits (pip install mpmath).

    python3 special.py > special.jsonl
"""
import json
from mpmath import *

mp.dps = 60


def emit(fn, args, v):
    if abs(v) > 1.7e308:
        return
    print(json.dumps({"fn": fn, "args": args, "want": float(v)}))


XS = [1e-300, 1e-5, 0.1, 0.5, 0.999, 1, 1.2, 1.3, 1.4616321449683622, 1.4616321449683625, 1.5, 1.7, 1.72, 2, 3.7, 9.99,
      10, 11.5, 100, 12345.678, 1e10, 1e300, -1e-5, -0.1, -0.25, -0.5, -0.75, -1.5, -2.3, -10.25, -1000.125, -1e6 - 0.5]
for x in XS:
    emit("Digamma", [x], psi(0, x))
    emit("Trigamma", [x], psi(1, x))
for n in [2, 3, 4, 5, 8, 12, 13, 20, 50, 100, 170]:
    for x in [0.3, 1, 2.5, 11, 40, 300, -0.3, -0.5, -1.25, -7.9]:
        v = psi(n, x)
        if abs(v) < mpf(10) ** 300:
            emit("Polygamma", [n, x], v)
for x in [-745, -300, -38, -1, -1e-9, 0, 0.3, 1.09, 1.11, 3, 17, 37, 300]:
    x = mpf(x)
    s = 1 / (1 + exp(-x))
    emit("Sigmoid", [float(x)], s)
    emit("SigmoidSlope", [float(x)], s / (1 + exp(x)))
    emit("Softplus", [float(x)], log1p(exp(x)))
for x in [0, 1e-9, -0.3, 1, 2.4, -2.45, 5, -9, 20, 300]:
    emit("TanhSlope", [x], sech(x) ** 2)
for x in [-38.5, -38, -37.5, -37, -36.9, -30, -8, -1, 0, 0.25, 2, 30]:
    emit("GELUExact", [x], x * ncdf(x))
for x in [-20, -5, -1, 0, 0.5, 3, 20]:
    x = mpf(x)
    emit("GELU", [float(x)], x / (1 + exp(-2 * sqrt(2 / pi) * (x + mpf("0.044715") * x**3))))
