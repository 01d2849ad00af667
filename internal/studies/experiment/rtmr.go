package experiment

import "fmt"

// RTMR is the evaluation of hard real-time admission (paper 003, chapter 5).
func RTMR() *Experiment {
	e := &Experiment{
		Name:  "003-rtmr",
		Paper: "paper 003, chapter 5",
		About: "accept, success and utilisation: RTMR, RTMR without feedback, Deadline Constraint, FIFO",
		Took:  "1 min",
		Files: []string{"workload-1.yaml", "workload-2.yaml"},
	}
	for i, file := range e.Files {
		load := "workload " + []string{"I", "II"}[i]
		key := func(what string) string { return fmt.Sprintf("%s, %s", load, what) }
		row := func(name, policy string) Row { return Row{name, Series{file, policy}} }
		dc, rtmr, bare, fifo := row("Deadline Constraint", "dc"), row("RTMR", "rtmr"), row("RTMR without feedback", "rtmr(feedback=false)"), row("FIFO", "fifo")
		successful, all := utilisation(false), utilisation(true)

		e.Claims = append(e.Claims,
			always(key("success of rtmr"), load+": RTMR succeeds for all that it admits", rtmr.Series, succeeded()),
			always(key("success of rtmr without feedback"), load+": so does RTMR without feedback", bare.Series, succeeded()),
			more(key("feedback accepts more"), load+": feedback raises acceptance", rtmr, []Row{bare}, accepted()),
			more(key("feedback uses more"), load+": feedback raises utilisation", rtmr, []Row{bare}, successful),
			below(key("dc breaks promises"), load+": Deadline Constraint breaks promises", dc.Series, succeeded(), 1),
			more(key("dc accepts more"), load+": Deadline Constraint accepts more than RTMR", dc, []Row{rtmr}, accepted()),
			less(key("dc uses less"), load+": Deadline Constraint's utilisation is lower than RTMR's", dc, []Row{rtmr}, successful),
			moreOf(key("fifo uses most"), load+": FIFO, which rejects nothing, has the highest utilisation", fifo, all, rtmr, successful),
		)
		lines := []Line{}
		for k, r := range []Row{dc, rtmr, bare, fifo} {
			use := successful
			if r == fifo {
				use = all
			} else {
				e.Claims = append(e.Claims, number(key("accept ratio of "+r.Policy), load+": accept ratio of "+r.Name, r.Series, accepted()))
			}
			if r == dc {
				e.Claims = append(e.Claims, number(key("success ratio of "+r.Policy), load+": kept of accepted (success ratio) of "+r.Name, r.Series, succeeded()))
			}
			e.Claims = append(e.Claims, number(key("utilisation of "+r.Policy), load+": utilisation of "+r.Name, r.Series, use))
			line := Line{Name: r.Name, Colour: k}
			point := func(m Metric, published string) Point {
				said := key(published + " of " + r.Policy)
				if published == "success ratio" && r != dc {
					said = key("success of rtmr")
				}
				return Point{Tick: m.Name, Series: r.Series, Metric: &m, Key: said}
			}
			if r != fifo {
				line.At = append(line.At, point(accepted(), "accept ratio"), point(succeeded(), "success ratio"))
			}
			line.At = append(line.At, point(use, "utilisation"))
			lines = append(lines, line)
		}
		e.Figures = append(e.Figures, Figure{Title: load + ": ours, and published (rings)", Source: fmt.Sprintf("003 table 5.%d", 8+i), Bars: true,
			Metric: Metric{Name: "part", Unit: "%"}, Ticks: []string{"accept ratio", "kept of accepted", "utilisation"}, Lines: lines})
		e.Tables = append(e.Tables, Table{load + fmt.Sprintf(" (table 5.%d)", 8+i), []Row{dc, rtmr, bare}, []Metric{accepted(), succeeded(), successful}},
			Table{load + ": FIFO, all of whose jobs count", []Row{fifo}, []Metric{succeeded(), all}})
	}
	e.Assumptions = []Assumption{
		{"how fast maps and reduces work through their bytes, derived from tables 5.6 and 5.7", "", "workload.mix.rate", "12.8MB", []string{"6.4MB", "25.6MB"}},
		{"bytes that maps write for each that they read (eta)", "", "workload.mix.ratio", "0.5", []string{"0.25", "1"}},
		{"what a task takes besides the time for its bytes", "", "workload.mix.start", "1s", []string{"500ms", "2s"}},
		{"speed of the nodes of two slots against those of four", "", "cluster.classes[0].speed", "1.5", []string{"1", "2"}},
		{"what schedulers know from the start: what a run by FIFO of the same jobs and times teaches; nothing but what samples and the run itself teach; what a run of other such jobs teaches", "", knowledge, "rehearsed", []string{nothing, ofAnother}},
		{"how task times vary", "", "cluster.task_times.cv", "0.2", []string{"0.1", "0.4"}},
		{"bytes a second that a map reads from another node", "", "cluster.read.rack", "20MB", []string{"10MB", "40MB"}},
	}
	// The time between arrivals is given for workload I only.
	e.Assumptions = append(e.Assumptions, Assumption{"time between arrivals of workload II, as that of workload I", "workload-2.yaml", "workload.mix.arrivals.every", "14s", []string{"7s", "28s"}})
	return e
}
