package experiment

// clairvoyant000 is about what knowledge of the future would save. The paper has no such figure; what is
// claimed is ours.
func clairvoyant000() *Experiment {
	e := &Experiment{Name: "000-clairvoyant", Paper: "paper 000, sections 2 and 4 (beyond the paper)", Took: "60 s",
		About: "penalty if the capacity to come, the times of tasks, or the best order were known: RDS, EDF-P, all orders"}
	costs := penalty(allJobs)
	edfP := func(file string) Row { return play("EDF-P", file, "edf-p") }
	rds := func(file string) Row { return play("RDS, own forecasts", file, "rds") }
	told := func(file string) Row { return play("RDS, capacity known", file, "rds(forecast=told)") }
	far := func(file string) Row {
		return play("RDS, capacity known two hours ahead", file, "rds(forecast=told,hp=12,hc=12)")
	}
	adaptive := func(file string) Row {
		return play("RDS, capacity known, adaptive reference", file, "rds(forecast=told,reference=adaptive)")
	}
	six := func(file string) Row {
		return play("RDS, own forecasts, six intervals ahead", file, "rds(hp=6,hc=6)")
	}
	counted := func(file string) Row {
		return play("RDS, counted at the deadline, own forecasts", file, "rds(reference=deadline)")
	}
	countedSix := func(file string) Row {
		return play("RDS, counted at the deadline, own forecasts, six intervals ahead", file,
			"rds(reference=deadline,hp=6,hc=6)")
	}

	shown := []Metric{costs, inTime(allJobs)}
	for _, scale := range []string{"up", "out"} {
		how, file, known := "scale-"+scale, scale+".yaml", scale+"-known.yaml"
		best := play("best of all orders, all known", known, "best")
		deadline := play("RDS, counted at the deadline, capacity known an hour ahead", file,
			"rds(reference=deadline,forecast=told,hp=6,hc=6)")
		e.claim(scale+" best", how+": the best of all orders has less penalty than RDS", less(costs, best, rds(file)))
		e.claim(scale+" told", how+": RDS has less penalty if it knows capacity", less(costs, told(file), rds(file)))
		if scale == "up" {
			e.claim("up deadline", "scale-up: RDS has less penalty if progress is counted at the deadline,"+
				" six intervals ahead, not in each interval", less(costs, countedSix(file), rds(file)))
		} else {
			e.claim("out deadline", "scale-out: the same", less(costs, countedSix(file), rds(file)))
			e.claim("out worth", "scale-out: then it has more penalty if it knows capacity, and so that there is too little",
				more(costs, deadline, countedSix(file)))
		}
		e.table(how+": penalty of a job", shown, best, play("by deadline, all known", known, "edf"), edfP(file), rds(file),
			play("RDS, capacity as it is", file, "rds(forecast=persistence)"),
			play("RDS, own forecasts of fewer lags at first", file, "rds(start=shorter)"), told(file),
			play("RDS, capacity known an hour ahead", file, "rds(forecast=told,hp=6,hc=6)"), far(file), adaptive(file),
			play("RDS, own forecasts and what is known", file, "rds(forecast=combined)"), six(file), counted(file), deadline,
			countedSix(file))
	}
	for _, scale := range []string{"up", "out"} {
		exact, best := scale+"-exact.yaml", play("best of all orders, all known", scale+"-known.yaml", "best")
		e.table("scale-"+scale+", each task takes the mean time: penalty of a job", shown,
			best, edfP(exact), rds(exact), told(exact), far(exact), adaptive(exact))
	}

	const soon, later = "pace-70.yaml", "pace-180.yaml"
	e.claim("pace fits", "constant capacity, an urgent and a large job at a time: EDF-P has no urgent job late",
		below(0.01, late("urgent"), edfP(soon)))
	e.claim("pace urgent", "RDS has all urgent jobs late, as what both owe in an interval is more than it has",
		above(0.99, late("urgent"), rds(soon)))
	e.claim("pace deadline", "if progress is counted at the deadline, six intervals ahead, RDS has less penalty",
		less(costs, countedSix(soon), rds(soon)))
	e.claim("pace later", "if the large one is due so late that what both owe fits, RDS has less penalty",
		less(costs, rds(later).called("RDS, large jobs due after 180 min"), rds(soon).called("RDS, large jobs due after 70 min")))
	for _, due := range []string{"70", "180"} {
		file := "pace-" + due + ".yaml"
		e.table("large jobs due after "+due+" min", []Metric{late("urgent"), late("large"), costs},
			edfP(file), rds(file), adaptive(file), six(file), counted(file), countedSix(file))
	}
	return e
}
