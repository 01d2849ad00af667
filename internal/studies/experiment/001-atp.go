package experiment

// atp001 is the numbers of tasks of ATP for pipelines, beside those of Hadoop and Oozie and the best ones.
func atp001() *Experiment {
	e := &Experiment{Name: "001-atp", Paper: "paper 001, section VI-A (figures 9 to 12)", Took: "5 s", Margin: 0.05,
		About: "the energy of pipelines of ten jobs cut by ATP, beside splits of 128 MB and the optimum"}
	const file = "pipelines.yaml"
	atp := play("ATP, ε 0.2", file, "atp 200")
	saved, over := value("saved of the default", "%"), value("above the optimum at most", "%")
	e.claim("saved", "ATP takes 36.7 % less energy than the default", number(saved, atp))
	e.claim("near", "at ε 0.2 it takes at most 7.8 % more than the optimum", below(0.078, over, atp))
	e.claim("in time", "at ε 0.2 it is in time at every deadline", below(1e-9, value("late", "%"), atp))
	e.claim("sooner", "and done at least 12.6 % sooner than by default", above(0.126, value("sooner than the default", "%"), atp))
	e.table("ten deadlines, without slack (figures 11 and 12)", []Metric{saved, over, value("sooner than the default", "%"), value("late", "%")},
		play("ATP, ε 0.01", file, "atp 10"), atp, play("ATP, ε 0.5", file, "atp 500"))
	return e
}
