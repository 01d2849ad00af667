package experiment

// fastpath000 is about the fast path of RDS.
func fastpath000() *Experiment {
	e := &Experiment{Name: "000-fastpath", Paper: "paper 000, sections 4.3 and 6.2", Took: "2 s",
		About: "short jobs beside large ones: RDS with and without its fast path"}
	shown := []Metric{late("small"), completion("small"), late("large1"), late("large2")}
	in := func(file string) (fast, slow, fair, edfP Row) {
		return play("RDS", file, "rds"), play("RDS without fast path", file, "rds(fast=false)"),
			play("Fair", file, "fair"), play("EDF-P", file, "edf-p")
	}

	fast, slow, fair, edfP := in("short.yaml")
	e.claim("fewer misses", "with the fast path fewer short jobs are late", less(late("small"), fast, slow))
	e.claim("half the time", "with the fast path short jobs take less time", less(completion("small"), fast, slow))
	e.claim("time saved", "part of the time of short jobs that the fast path saves",
		number(completion("small"), fast.over("RDS over RDS without fast path", "rds(fast=false)")))
	// What is below is ours: it shows why short jobs are late without RDS.
	e.ours("Fair and EDF-P have most short jobs late: Fair", above(0.5, late("small"), fair))
	e.ours("the same of EDF-P", above(0.5, late("small"), edfP))
	e.figure(Figure{Title: "short jobs", Source: "000 section 6.2", Bars: true, Metric: late("small")},
		Line{"RDS", 0, []Point{point(fast, late("small"), "")}},
		Line{"RDS without fast path", 1, []Point{point(slow, late("small"), "")}})
	e.table("short jobs", shown, fast, slow, fair, edfP)

	fast, slow, fair, edfP = in("late.yaml")
	e.ours("where reduces wait for all maps none is late under Fair", below(0.01, late("small"), fair))
	e.ours("nor under EDF-P", below(0.01, late("small"), edfP))
	e.ours("but most are under RDS without fast path, where they wait for the next interval",
		above(0.5, late("small"), slow))
	e.table("short jobs, reduces start after all maps", shown, fast, slow, fair, edfP)
	return e
}
