package experiment

// priority000 is about priorities.
func priority000() *Experiment {
	e := &Experiment{Name: "000-priority", Paper: "paper 000, sections 5.3 and 6.6", Took: "5 s",
		About: "pairs of equal jobs with a high and a low priority, in a cluster whose capacity changes"}
	high, low := penalty("high"), penalty("low")
	in := func(file string) (rds, edfP, fair Row) {
		return play("RDS", file, "rds"), play("EDF-P", file, "edf-p"), play("Fair", file, "fair")
	}
	table := func(title, file string) {
		rds, edfP, fair := in(file)
		e.table(title, []Metric{high, low, late("high"), late("low")}, rds, edfP, fair)
	}

	rds, _, _ := in("priority.yaml")
	e.claim("high first", "jobs of high priority have less penalty than equal jobs of low priority",
		moreOf(low, rds, high, rds.called("the same")))
	table("pairs of equal jobs", "priority.yaml")

	// What is below is ours: it shows why.
	_, edfP, _ := in("low-first.yaml")
	e.ours("if of two equal jobs that of low priority comes first, those of high priority have more penalty under EDF-P",
		moreOf(high, edfP, low, edfP.called("the same")))
	table("pairs of equal jobs, that of low priority first", "low-first.yaml")
	return e
}
