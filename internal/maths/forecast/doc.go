// Package forecast predicts series of values at equal intervals, such as the power of the sun or
// the capacity of a cluster: Forecaster is the interface, Default what paper 000 uses.
//
//	paper 000, eq. 16 and table 2            AR
//	paper 000, section 4.1 [18], ARIMA       ARIMA, Fit; Best chooses the order by AICc
//	exact Gaussian likelihood                kalman.go: Harvey's state space, as in R's arima
//	start of the search                      hannan.go: Hannan and Rissanen, Biometrika 69, 1982
//	stationary, invertible                   transform.go: Monahan, Biometrika 71, 1984
//	baselines                                Persistence, Seasonal, HoltWinters
//	several forecasters by recent errors     Combined: Bates and Granger, OR Quarterly 20, 1969
//
// The paper's predictor has no constant, no differences and no moving average, whatever its name.
// Its band, and those of all forecasters, are normal ones around the expected value; Tracked says
// how many values lay in them.
package forecast
