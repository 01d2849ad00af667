package experiment

// elastic002 is ours: capacity that follows deadlines, against sizes that do not, and thresholds.
func elastic002() *Experiment {
	e := &Experiment{Name: "002-elastic", Paper: "ours, beside paper 002", Took: "5 min",
		About: "misses and node-hours of a day: need, static sizes, thresholds, and the requests of paper 002"}
	const order = "edf(feasible)+slowstart"
	in := func(name, policy string) Row { return play(name, "day.yaml", order+policy) }
	alone, need := in("order alone", ""), in("need", "+need")
	promised, requests := play("promise and need", "day.yaml", "promise+need"), in("eq. 12", "+request")
	static := func(name, n string) Row { return in(name, "+need(base="+n+",budget="+n+")") } // a node costs 1 an hour
	two, four, six, ten := static("2 nodes", "2"), static("4 nodes", "4"), static("6 nodes", "6"), static("10 nodes", "10")
	fluid, all := in("clairvoyant", "+clairvoyant"), in("clairvoyant, margin 20 %", "+clairvoyant(margin=20)")
	busy, queue := in("threshold of utilisation", "+thresholds(of=utilisation)"), in("threshold of the queue", "+thresholds(of=queue)")

	e.ours("need misses less than its order alone", less(late(allJobs), need, alone))
	e.ours("hardly any job is late", below(0.01, late(allJobs), need))
	e.ours("it rents less than any static size which has as few misses", less(nodeHours(), need, four, six, ten))
	e.ours("and less than thresholds", less(nodeHours(), need, busy, queue))
	e.ours("it rents less than half of what the requests of paper 002 do, which give nothing back",
		above(0.5, nodeHours(), need.over("need over eq. 12", order+"+request")))
	e.ours("it rents at most 1.4 times what a clairvoyant does who counts on tasks as much longer as it does",
		above(-0.4, nodeHours(), need.over("need over clairvoyant", order+"+clairvoyant(margin=20)")))
	e.table("a day of 198 jobs", []Metric{late(allJobs), nodeHours(), nodesRented(), rent(), completion(allJobs)},
		alone, need, promised, fluid, all, two, four, six, ten, busy, queue, requests)
	return e
}
