package use

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// The log-densities have no rules: their source ends in functions of packages math and
// mathext that do, or that have a source of their own.

// LogProbReal adds log-densities on the real line.
//
//quabla:grad wrt=x,mu,sigma,nu
//quabla:hvp wrt=x,mu,sigma,nu
func LogProbReal(x, mu, sigma, nu float64) float64 {
	return distuv.Normal{Mu: mu, Sigma: sigma}.LogProb(x) +
		distuv.Laplace{Mu: mu, Scale: sigma}.LogProb(x) +
		distuv.Logistic{Mu: mu, S: sigma}.LogProb(x) +
		distuv.GumbelRight{Mu: mu, Beta: sigma}.LogProb(x) +
		distuv.StudentsT{Mu: mu, Sigma: sigma, Nu: nu}.LogProb(x)
}

// LogProbPositive adds log-densities on the positive numbers.
//
//quabla:grad wrt=x,a,b
//quabla:hvp wrt=x,a,b
func LogProbPositive(x, a, b float64) float64 {
	return distuv.Gamma{Alpha: a, Beta: b}.LogProb(x) +
		distuv.InverseGamma{Alpha: a, Beta: b}.LogProb(x) +
		distuv.LogNormal{Mu: a, Sigma: b}.LogProb(x) +
		distuv.Weibull{K: a, Lambda: b}.LogProb(x) +
		distuv.Exponential{Rate: a}.LogProb(x) +
		distuv.ChiSquared{K: a}.LogProb(x) +
		distuv.Chi{K: a}.LogProb(x) +
		distuv.F{D1: a, D2: b}.LogProb(x) +
		distuv.Pareto{Xm: 0.25 * b, Alpha: a}.LogProb(x)
}

// LogProbUnit adds log-densities on an interval.
//
//quabla:grad wrt=x,a,b
//quabla:hvp wrt=x,a,b
func LogProbUnit(x, a, b float64) float64 {
	return distuv.Beta{Alpha: a, Beta: b}.LogProb(x) +
		distuv.Uniform{Min: -a, Max: 1 + b}.LogProb(x)
}

// LogProbCounts adds log-probabilities of an integer k.
//
//quabla:grad wrt=rate,p
//quabla:hvp wrt=rate,p
func LogProbCounts(rate, p, k float64) float64 {
	return distuv.Poisson{Lambda: rate}.LogProb(k) +
		distuv.Binomial{N: 10, P: p}.LogProb(k) +
		distuv.Bernoulli{P: p}.LogProb(math.Mod(k, 2))
}
