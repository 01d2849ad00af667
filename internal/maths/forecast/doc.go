// Package forecast predicts series of values at equal intervals, such as the power of the sun or
// the capacity of a cluster: Forecaster is the interface, Default what paper 000 uses.
//
//	paper 000, eq. 16 and table 2            AR
//	baselines                                Persistence, Seasonal
//	several forecasters by recent errors     Combined: Bates and Granger, OR Quarterly 20, 1969
//
// The paper's predictor has no constant, no differences and no moving average, though section 4.1 calls
// it ARIMA. Other orders, fitted by exact likelihood, were within a point of persistence in made-up
// weather, and exponential smoothing mostly far behind it.
//
// Its band, and those of all forecasters, are normal ones around the expected value; Tracked says how many
// values lay in them.
package forecast
