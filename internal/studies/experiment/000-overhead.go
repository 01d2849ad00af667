package experiment

// overhead000 is about what it takes to change slots.
func overhead000() *Experiment {
	e := &Experiment{Name: "000-overhead", Paper: "paper 000, section 6.5 (table 4, figures 12 and 13)", Took: "60 s", Margin: 0.2,
		About: "time from a new plan to tasks on the slots it gives: by job, by size of tasks, by size of the cluster"}
	maps, reduces := mapActivation(allJobs), reduceActivation(allJobs)
	const file = "../000-penalty/up.yaml"
	table4 := play("jobs of table 3", file, "rds")
	size := sweep([]float64{20, 40, 80, 160, 320}, func(v string) Row { return play(v+" nodes", v+".yaml", "rds") })
	tasks := sweep([]float64{1, 2, 4, 8}, func(v string) Row {
		return play("tasks of "+v+" min", "../000-tasksize/"+v+"m.yaml", "rds")
	})
	short := play("reduces short of slots", "reduces.yaml", "rds")
	busy := sweep([]float64{20, 320}, func(v string) Row {
		return play(v+" nodes, three times the work", "busy-"+v+".yaml", "rds")
	})
	instant := play("an optimizer that takes no time", file, "rds(solver=0s)")

	var mapsOf, reducesOf []Metric
	for _, class := range []string{"wordcount", "grep", "terasort"} {
		m, r := mapActivation(class), reduceActivation(class)
		e.claim(class+" maps", class+": what it takes to give a map a slot", number(m, table4))
		e.claim(class+" reduces", class+": to give a reduce one", number(r, table4))
		mapsOf, reducesOf = append(mapsOf, m), append(reducesOf, r)
	}
	e.claim("reduces take longer", "a reduce takes longer than a map", moreOf(reduces, table4, maps, table4.called("the same")))
	e.claim("twenty", "40 tasks on 20 processors", number(maps, size.at(20)))
	e.claim("many", "640 tasks on 320 processors", number(maps, size.at(320)))
	e.claim("by cluster", "it grows with the cluster", more(maps, size.at(320), size.at(20)))
	e.claim("maps by size", "it grows with the size of maps", grows(maps, tasks...))
	e.claim("reduces by size", "and of reduces", grows(reduces, tasks...))
	// What is below is ours: it shows why.
	e.ours("where reduces are what is short of slots, a reduce waits longer than a map",
		moreOf(reduces, short, maps, short.called("the same")))
	e.ours("with three times the work maps wait longer, in a cluster of 20 nodes", more(maps, busy.at(20), size.at(20)))
	e.ours("the same in one of 320", more(maps, busy.at(320), size.at(320)))

	e.figure(Figure{Title: "activation by cluster", Source: "000 figure 12", X: "nodes", Metric: maps}, line("maps", 0, size))
	e.table("jobs of table 3 (table 4)", append(mapsOf, reducesOf...), table4)
	e.table("by size of tasks and of the cluster (figures 12 and 13)", []Metric{maps, reduces},
		table4, instant, short, tasks, size, busy)
	return e
}
