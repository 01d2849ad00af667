package experiment

// rtmr003 is the evaluation of hard real-time admission.
func rtmr003() *Experiment {
	e := &Experiment{Name: "003-rtmr", Paper: "paper 003, chapter 5", Took: "3 min", Margin: 0.05,
		About: "accept, success and utilisation: RTMR, RTMR without feedback, Deadline Constraint, FIFO"}
	for _, c := range []struct{ file, load, table string }{
		{"workload-1.yaml", "workload I", "5.8"}, {"workload-2.yaml", "workload II", "5.9"},
	} {
		dc, rtmr := play("Deadline Constraint", c.file, "dc"), play("RTMR", c.file, "rtmr")
		bare, fifo := play("RTMR without feedback", c.file, "rtmr(feedback=false)"), play("FIFO", c.file, "fifo")
		used, usedByAll := utilisation(false), utilisation(true)
		claim := func(key, text string, shown Check) *Claim { return e.claim(c.load+", "+key, c.load+": "+text, shown) }

		const theorem = "with a true worst case it is a theorem"
		claim("success of rtmr", "RTMR succeeds for all that it admits", always(succeeded(), rtmr)).Given = theorem
		claim("success of rtmr without feedback", "so does RTMR without feedback", always(succeeded(), bare)).
			Given = theorem
		claim("feedback accepts more", "feedback raises acceptance", more(accepted(), rtmr, bare))
		claim("feedback uses more", "feedback raises utilisation", more(used, rtmr, bare))
		claim("dc breaks promises", "Deadline Constraint breaks promises", below(1, succeeded(), dc))
		claim("dc accepts more", "Deadline Constraint accepts more than RTMR", more(accepted(), dc, rtmr))
		claim("dc uses less", "Deadline Constraint's utilisation is lower than RTMR's", less(used, dc, rtmr))
		claim("fifo uses most", "FIFO, which rejects nothing, has the highest utilisation",
			moreOf(usedByAll, fifo, used, rtmr))
		claim("accept ratio of dc", "accept ratio of Deadline Constraint", number(accepted(), dc))
		claim("success ratio of dc", "kept of accepted (success ratio) of Deadline Constraint", number(succeeded(), dc))
		claim("utilisation of dc", "utilisation of Deadline Constraint", number(used, dc))
		for _, r := range []Row{rtmr, bare} {
			claim("accept ratio of "+r.Policy, "accept ratio of "+r.Name, number(accepted(), r))
			claim("utilisation of "+r.Policy, "utilisation of "+r.Name, number(used, r))
		}
		claim("utilisation of fifo", "utilisation of FIFO", number(usedByAll, fifo))

		bars := func(r Row, colour int, success string) Line {
			return Line{r.Name, colour, []Point{point(r, accepted(), c.load+", accept ratio of "+r.Policy),
				point(r, succeeded(), c.load+", "+success), point(r, used, c.load+", utilisation of "+r.Policy)}}
		}
		e.figure(Figure{Title: c.load + ": ours, and published (rings)", Source: "003 table " + c.table,
			Bars: true, Metric: used}, bars(dc, 0, "success ratio of dc"),
			bars(rtmr, 1, "success of rtmr"), bars(bare, 2, "success of rtmr"),
			Line{"FIFO", 3, []Point{point(fifo, usedByAll, c.load+", utilisation of fifo")}})
		e.table(c.load+" (table "+c.table+")", []Metric{accepted(), succeeded(), used}, dc, rtmr, bare)
		e.table(c.load+": FIFO, all of whose jobs count", []Metric{succeeded(), usedByAll}, fifo)
	}
	return e
}
