package experiment

// clairvoyant000 is about what knowledge of the future would save. The paper has no such figure; what is
// claimed is ours.
func clairvoyant000() *Experiment {
	e := &Experiment{Name: "000-clairvoyant", Paper: "paper 000, sections 2 and 4 (beyond the paper)", Took: "60 s",
		About: "penalty if the capacity to come, the times of tasks, or the best order were known: RDS, EDF-P, all orders"}
	costs := penalty(allJobs)
	edfP := func(file string) Row { return play("EDF-P", file, "edf-p") }
	rds := func(file string) Row { return play("RDS, own forecasts", file, "rds") }
	told := func(file string) Row { return play("RDS, capacity known", file, "rds-believing(capacity=told)") }
	far := func(file string) Row {
		return play("RDS, capacity known two hours ahead", file, "rds-believing(capacity=told,hp=12,hc=12)")
	}
	six := func(file string) Row {
		return play("RDS, own forecasts, six intervals ahead", file, "rds(hp=6,hc=6)")
	}
	shown := []Metric{costs, inTime(allJobs)}
	for _, scale := range []string{"up", "out"} {
		how, file, known := "scale-"+scale, scale+".yaml", scale+"-known.yaml"
		best := play("best of all orders, all known", known, "best")
		e.ours(how+": the best of all orders has less penalty than RDS", less(costs, best, rds(file)))
		e.ours(how+": RDS has less penalty if it knows capacity", less(costs, told(file), rds(file)))
		e.table(how+": penalty of a job", shown, best, play("by deadline, all known", known, "edf"), edfP(file), rds(file),
			play("RDS, capacity as it is", file, "rds-believing(capacity=persistence)"), told(file),
			play("RDS, capacity known an hour ahead", file, "rds-believing(capacity=told,hp=6,hc=6)"), far(file), six(file))
	}
	for _, scale := range []string{"up", "out"} {
		exact, best := scale+"-exact.yaml", play("best of all orders, all known", scale+"-known.yaml", "best")
		e.table("scale-"+scale+", each task takes the mean time: penalty of a job", shown,
			best, edfP(exact), rds(exact), told(exact), far(exact))
	}

	const soon, later = "pace-70.yaml", "pace-180.yaml"
	e.ours("constant capacity, an urgent and a large job at a time: EDF-P has no urgent job late",
		below(0.01, late("urgent"), edfP(soon)))
	e.ours("RDS has all urgent jobs late, as what both owe in an interval is more than it has",
		above(0.99, late("urgent"), rds(soon)))
	e.ours("if the large one is due so late that what both owe fits, RDS has less penalty",
		less(costs, rds(later).called("RDS, large jobs due after 180 min"), rds(soon).called("RDS, large jobs due after 70 min")))
	for _, due := range []string{"70", "180"} {
		file := "pace-" + due + ".yaml"
		e.table("large jobs due after "+due+" min", []Metric{late("urgent"), late("large"), costs},
			edfP(file), rds(file), six(file))
	}
	return e
}
