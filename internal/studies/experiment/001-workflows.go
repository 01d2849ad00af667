package experiment

// workflows001 is the simulation of paper 001, with a policy of ours beside it.
func workflows001() *Experiment {
	e := &Experiment{Name: "001-workflows", Paper: "paper 001, section VI-B (figures 17 and 18), and ours", Took: "3 min", Margin: 0.05,
		About: "dynamic energy and missed deadlines of workflows: DAWSEE, its parts, MinD+ED, BAWMEE, and flow"}
	energy, missed, above := value("energy of a workflow", "MJ"), value("missed", "%"), value("above the bound", "%")
	const minD = "edf+vds+deets"
	dawsee := func(file string) Row { return play("DAWSEE", file, "dawsee") }
	flow := func(file string) Row { return play("flow", file, "flow") }

	e.claim("saved", "DAWSEE takes 36 % less energy than MinD+ED", number(energy, play("DAWSEE", "normal.yaml", "dawsee").over("DAWSEE over MinD+ED", minD)))
	whole := func(file string) Row { return play("BAWMEE", file, bawmee) }
	e.claim("over static", "DAWSEE takes less energy than BAWMEE", less(energy, dawsee("normal.yaml"), whole("normal.yaml")))
	e.ours("with eight times the load DAWSEE takes less energy than BAWMEE", less(energy, dawsee("crowded.yaml"), whole("crowded.yaml")))
	e.claim("missed", "DAWSEE misses next to no deadline", below(0.05, missed, dawsee("normal.yaml")))
	e.ours("with all of the time given to partitioning (beta 0) DAWSEE takes more energy",
		less(energy, dawsee("normal.yaml"), play("DAWSEE, beta 0", "normal.yaml", "dawsee(beta=0)")))
	for _, one := range []Row{dawsee("busy.yaml"), flow("busy.yaml")} {
		plan := map[string]string{"dawsee": "atp", "flow": "tradeoff"}[one.Policy]
		e.ours("busy: "+one.Name+" takes less energy than its numbers of tasks alone",
			less(energy, one, play(one.Name+" without waiting", "busy.yaml", "edf+"+plan+"+greedy(nonlocal=0)")))
	}
	list := func(file string) []Row {
		return []Row{play("HEFT", file, "edf+ranks(by=up)+take(first=fast)"), play("CPoP", file, "edf+ranks(by=through)+take(first=fast)"),
			play("EEDAW", file, "edf+ranks(by=left)+take(first=frugal)"), play("ATP-EEDAW", file, "edf+atp+ranks(by=left)+take(first=frugal)"),
			play("ATP-EEDAW, beta 0", file, "edf+atp(beta=0)+ranks(by=left)+take(first=frugal)")}
	}
	normal := list("normal.yaml")
	e.ours("EEDAW takes more energy than MinD+ED, which waits", less(energy, play("MinD+ED", "normal.yaml", minD), normal[2]))
	e.ours("ATP-EEDAW misses more deadlines than DAWSEE (beta 0)", less(missed, dawsee("normal.yaml"), normal[4]))
	shown := []Metric{energy, missed, above}
	e.table("normal load", shown, dawsee("normal.yaml"), play("DAWSEE, beta 0", "normal.yaml", "dawsee(beta=0)"), flow("normal.yaml"),
		play("MinD+ED", "normal.yaml", minD), play("most tasks, anywhere", "normal.yaml", "edf+greedy(nonlocal=0)"), normal[0], normal[1], normal[2], normal[3], normal[4], whole("normal.yaml"))
	e.table("four times the load", shown, dawsee("busy.yaml"), play("DAWSEE with a timer", "busy.yaml", "dawsee(waiting=timer)"),
		play("DAWSEE that predicts", "busy.yaml", "dawsee(waiting=predict)"),
		play("DAWSEE without waiting", "busy.yaml", "edf+atp+greedy(nonlocal=0)"), play("DAWSEE without virtual deadlines", "busy.yaml", "edf+atp+deets"),
		whole("busy.yaml"), flow("busy.yaml"), play("flow without waiting", "busy.yaml", "edf+tradeoff+greedy(nonlocal=0)"))
	e.table("eight times the load", shown, dawsee("crowded.yaml"), whole("crowded.yaml"), flow("crowded.yaml"))
	return e
}
