package experiment

// scalability004 is about how long a proven optimum takes.
func scalability004() *Experiment {
	e := &Experiment{Name: "004-scalability", Paper: "paper 004, section 5.3", Took: "5 s",
		About: "time to a proven optimum in whole machines and jobs, 20 to 1,000 classes"}
	takes, gap := value("solve time", "ms"), value("gap", "%")
	classes := sweep([]float64{20, 100, 200, 400, 600, 800, 1000}, func(v string) Row {
		return play(v+" classes", "instances.yaml", "solve "+v)
	})
	e.claim("mean", "solving takes less than 80 ms, at 200 classes", below(80, takes, classes.at(200)))
	e.claim("worst", "1,000 classes take less than 500 ms", below(500, takes, classes.at(1000)))
	e.claim("optimal", "the optimum is proven, at 1,000 classes", below(1e-9, gap, classes.at(1000)))
	e.table("time to a proven optimum", []Metric{takes, gap}, classes)
	return e
}
