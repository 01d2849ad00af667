package experiment

// penalty000 is about penalty and completion time of the jobs of table 3.
func penalty000() *Experiment {
	e := &Experiment{Name: "000-penalty", Paper: "paper 000, section 6.1", Took: "2 min",
		About: "penalty and completion time: RDS, EDF-N, EDF-P, Fair, in a cluster whose capacity changes"}
	for _, c := range []struct{ how, file, letter string }{{"scale-up", "up.yaml", "a"}, {"scale-out", "out.yaml", "b"}} {
		costs := penalty(allJobs)
		fair, edfN := play("Fair", c.file, "fair"), play("EDF-N", c.file, "edf-n")
		edfP, rds := play("EDF-P", c.file, "edf-p"), play("RDS", c.file, "rds")
		for _, than := range []Row{fair, edfN, edfP} {
			e.claim(c.how+", below "+than.Policy, c.how+": RDS has less penalty than "+than.Name, less(costs, rds, than))
		}
		e.claim(c.how+", fair worst", c.how+": Fair has the largest penalty", more(costs, fair, edfN, edfP, rds))
		e.claim(c.how+", J1 under edf-n", c.how+": J1 has the least penalty under EDF-N", less(penalty("J1"), edfN, rds, fair))
		e.ours(c.how+": with reduces that start after all maps Fair has less penalty than RDS",
			less(costs, play("Fair, late reduces", c.file, "fair+slowstart"), rds))
		for _, of := range []Row{fair, edfN, edfP} {
			e.claim(c.how+", saved of "+of.Policy, c.how+": part of "+of.Name+"'s penalty that RDS saves",
				number(costs, rds.over("RDS over "+of.Name, of.Policy)))
		}

		e.table(c.how+": penalty of a job and its completion (figures 7"+c.letter+", 8"+c.letter+")",
			[]Metric{costs, completion(allJobs), inTime(allJobs)}, fair, edfN, edfP, rds,
			play("RDS, interval of 2 min", c.file, "rds(interval=2m)"),
			play("EDF-P, late reduces", c.file, "edf-p+slowstart"), play("Fair, late reduces", c.file, "fair+slowstart"))
	}
	return e
}
