package experiment

// motivation000 is about why deadlines and capacity have to be looked at together.
func motivation000() *Experiment {
	e := &Experiment{Name: "000-motivation", Paper: "paper 000, section 2.2", Took: "1 s",
		About: "two jobs in a cluster whose speed changes: who meets which deadline"}
	fifo := func(file string) Row { return play("FIFO", file, "fifo") }
	fair := func(file string) Row { return play("Fair", file, "fair") }
	edfN := func(file string) Row { return play("EDF-N", file, "edf-n") }
	edfP := func(file string) Row { return play("EDF-P", file, "edf-p") }
	atOnce := func(file string) Row { return play("RDS, solver at once", file, "rds(solver=0s)") }
	table := func(title, file string, last ...some) {
		e.table(title, []Metric{completion("J1"), completion("J2"), inTime(allJobs)},
			append([]some{fifo(file), fair(file), edfN(file), edfP(file), play("RDS", file, "rds"), atOnce(file)}, last...)...)
	}

	const ideal, overload, known = "ideal.yaml", "overload.yaml", "known.yaml"
	e.claim("fifo misses", "figure 2: FIFO misses the deadline of J2", below(1, inTime("J2"), fifo(ideal)))
	e.claim("fair misses", "figure 2: Fair misses the deadline of J2", below(1, inTime("J2"), fair(ideal)))
	e.claim("ideal meets", "figure 2: preemptive EDF meets both", always(inTime(allJobs), edfP(ideal)))
	const chosen = "figure 3's inputs are lost, and ours were chosen so"
	e.claim("edf misses", "overloaded: EDF misses the deadline of J2", below(1, inTime("J2"), edfN(overload))).Given = chosen
	e.claim("J2 first", "overloaded: J2 meets its deadline if it goes first", always(inTime("J2"), edfP(overload))).Given = chosen
	// What is below is ours: it shows why RDS ends J2 late.
	told := play("RDS, solver at once, capacity known", known, "rds-believing(solver=0s,capacity=told)")
	e.ours("RDS ends J2 late", below(1, inTime("J2"), atOnce(known)))
	e.ours("if it knows capacity too", below(1, inTime("J2"), told))

	// Nothing is told of capacity in ideal.yaml and overload.yaml, so nobody knows it there.
	table("table 1", ideal)
	table("table 1, overloaded", overload)
	table("table 1, with nodes that come and go", known, told)
	return e
}
