// Package forecast predicts series of values at equal intervals, such as the power of the sun or
// the capacity of a cluster: Forecaster is the interface, Default what paper 000 uses.
//
//	paper 000, eq. 16 and table 2            AR
//	baselines                                Persistence, Seasonal
//
// The paper's predictor has no constant, no differences and no moving average, whatever its name.
// Its band, and those of all forecasters, are normal ones around the expected value; Tracked says
// how many values lay in them.
package forecast
