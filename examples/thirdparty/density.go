package thirdparty

import (
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// GammaLogLik is the log likelihood of the times under a gamma distribution.
//
//quabla:grad wrt=shape,rate
//quabla:hvp wrt=shape,rate
func GammaLogLik(shape, rate float64, times []float64) float64 {
	d := distuv.Gamma{Alpha: shape, Beta: rate}
	sum := 0.0
	for _, t := range times {
		sum += d.LogProb(t)
	}
	return sum
}

// StudentsT is the log density of Student's t distribution.
//
//quabla:grad wrt=x,mu,sigma,nu
func StudentsT(x, mu, sigma, nu float64) float64 {
	return distuv.StudentsT{Mu: mu, Sigma: sigma, Nu: nu}.LogProb(x)
}

// BetaLogProb is the log density of the beta distribution.
//
//quabla:grad wrt=x,a,b
func BetaLogProb(x, a, b float64) float64 { return distuv.Beta{Alpha: a, Beta: b}.LogProb(x) }

// NormalQuantile is where a normal distribution reaches the probability p.
//
//quabla:grad wrt=p,mu,sigma
func NormalQuantile(p, mu, sigma float64) float64 {
	return distuv.Normal{Mu: mu, Sigma: sigma}.Quantile(p)
}

// LogBeta is the logarithm of Euler's beta function.
//
//quabla:grad wrt=a,b
func LogBeta(a, b float64) float64 { return mathext.Lbeta(a, b) }
