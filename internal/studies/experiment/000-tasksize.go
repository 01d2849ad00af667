package experiment

// tasksize000 is about the same work in longer tasks.
func tasksize000() *Experiment {
	e := &Experiment{Name: "000-tasksize", Paper: "paper 000, section 6.6 (figure 14)", Took: "30 s",
		About: "what RDS saves of the penalty as tasks get longer, 1 to 8 minutes"}
	costs := penalty(allJobs)
	minutes, constant := []float64{1, 2, 3, 4, 6, 8}, []float64{2, 4, 8}
	series := func(name, policy string) Rows {
		return sweep(minutes, func(v string) Row { return play(name+", "+v+" min", v+"m.yaml", policy) })
	}
	// saves is what a policy saves of another one's penalty; its name has the length of tasks in it.
	saves := func(minutes []float64, before, after, files, policy, over string) Rows {
		return sweep(minutes, func(v string) Row {
			return play("", files+v+"m.yaml", policy).over(before+v+" min"+after, over)
		})
	}
	fair := saves(minutes, "tasks of ", ", over Fair", "", "rds", "fair")
	edfP := saves(minutes, "tasks of ", ", over EDF-P", "", "rds", "edf-p")
	edfPOverFair := saves([]float64{2, 8}, "EDF-P over Fair, ", "", "", "edf-p", "fair")
	steady := saves(constant, "constant capacity, ", ", over EDF-P", "steady-", "rds", "edf-p")

	e.claim("works at 1", "with tasks of 1 min RDS saves a part of Fair's penalty", above(0, costs, fair.at(1)))
	e.claim("works at 2", "with tasks of 2 min too", above(0, costs, fair.at(2)))
	e.claim("fades", "with tasks of 8 min it saves less of Fair's penalty than with tasks of 2 min",
		less(costs, fair.at(8), fair.at(2)))
	e.claim("fades over edf-p", "and less of EDF-P's", less(costs, edfP.at(8), edfP.at(2)))
	// What is below is ours: it shows why nothing fades over EDF-P, and why there is no bend over Fair.
	e.ours("EDF-P, which plans nothing, saves less of Fair's penalty with tasks of 8 min than with 2",
		less(costs, edfPOverFair.at(8), edfPOverFair.at(2)))
	e.ours("in constant capacity RDS saves nothing of EDF-P's penalty with tasks of 2 min", below(0, costs, steady.at(2)))
	e.ours("nor with 8 min", below(0, costs, steady.at(8)))

	e.figure(Figure{Title: "what RDS saves of Fair's penalty", Source: "000 figure 14", X: "length of tasks", Metric: costs},
		line("over Fair", 0, fair))
	e.table("penalty saved, by the length of tasks (figure 14)", []Metric{costs},
		fair, edfP, edfPOverFair, steady)
	e.table("penalty by the length of tasks", []Metric{costs, inTime(allJobs)},
		series("RDS", "rds"), series("EDF-P", "edf-p"), series("Fair", "fair"))
	return e
}
