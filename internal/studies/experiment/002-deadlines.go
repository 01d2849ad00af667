package experiment

// deadlines002 is the comparison of On-demand with a queue of capacity, and what of it does the work.
func deadlines002() *Experiment {
	e := &Experiment{Name: "002-deadlines", Paper: "paper 002, section 4", Took: "2 min", Margin: 0.05,
		About: "deadlines and times of eighteen jobs: On-demand, its order and its requests alone, Capacity, need"}
	in := func(name, policy string) Row { return play(name, "jobs.yaml", policy) }
	both, capacity := in("On-demand", "ondemand"), in("Capacity", "capacity")
	requests, order := in("FIFO and the same requests", "fifo+request"), in("its order without requests", "demand")
	sooner := func(name, policy string) Row { return play(name, "sooner.yaml", policy) }
	const ours = "edf(feasible)+slowstart+need"

	saved := both.over("On-demand over Capacity", "capacity")
	e.claim("30 % less time", "jobs take at least 30 % less time than under Capacity", above(0.3, completion(allJobs), saved))
	e.claim("28 % in time", "part of the jobs that are in time", number(inTime(allJobs), both))
	e.claim("none under capacity", "under Capacity none is", always(inTime(allJobs), capacity))
	e.claim("within twice", "all jobs are done within twice their deadline", always(within(2), both))
	e.claim("more than double", "under Capacity most take more than twice as long", below(0.5, within(2), capacity))
	// What is below is ours: the ablation, and what the requests could have been.
	e.ours("without requests hardly any job is in time", below(0.1, inTime(allJobs), order))
	e.ours("with FIFO in place of its order as many are in time, or nearly", nearLess(0.25, late(allJobs), requests, both))
	need := sooner("need", ours)
	e.ours("where nodes boot in 45 s, need has more in time than On-demand, and than its requests with FIFO",
		more(inTime(allJobs), need, sooner("On-demand", "ondemand"), sooner("FIFO and the same requests", "fifo+request")))
	e.ours("with less than two thirds of the node-hours",
		above(1.0/3, nodeHours(), need.over("need over On-demand", "ondemand")))
	e.figure(Figure{Title: "jobs in time", Source: "002 figures 7 and 8", Bars: true, Metric: inTime(allJobs)},
		Line{"On-demand", 0, []Point{point(both, inTime(allJobs), "28 % in time")}},
		Line{"Capacity", 1, []Point{point(capacity, inTime(allJobs), "none under capacity")}},
		Line{"FIFO + requests", 2, []Point{point(requests, inTime(allJobs), "")}},
		Line{"need", 3, []Point{point(in("need", ours), inTime(allJobs), "")}})
	e.table("eighteen jobs", []Metric{inTime(allJobs), within(2), completion(allJobs), nodesRented(), nodeHours()},
		both, requests, order, capacity, in("need", ours))
	e.table("eighteen jobs, nodes that boot in 45 s", []Metric{inTime(allJobs), within(2), completion(allJobs), nodesRented(), nodeHours()},
		sooner("On-demand", "ondemand"), sooner("FIFO and the same requests", "fifo+request"), need)
	return e
}
