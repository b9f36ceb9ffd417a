package use

import "gonum.org/v1/gonum/stat"

// Stat goes through statistics, which have no rules: their source ends in functions
// that do.
//
//quabla:grad wrt=x,y
//quabla:hvp wrt=x,y
func Stat(x, y []float64) float64 {
	mean, variance := stat.MeanVariance(x, nil)
	alpha, beta := stat.LinearRegression(x, y, nil, false)
	return mean*variance + stat.Variance(y, nil)*stat.StdDev(x, nil) + stat.Covariance(x, y, nil) +
		stat.Correlation(x, y, nil) + alpha*beta + stat.Mean(y, x)
}

// StatMoments goes through higher moments and distances.
//
//quabla:grad
func StatMoments(x []float64) float64 {
	return stat.Skew(x, nil) + stat.ExKurtosis(x, nil) + stat.Moment(3, x, nil) + stat.GeometricMean(x, nil) +
		stat.HarmonicMean(x, nil) + stat.Entropy(x)
}
