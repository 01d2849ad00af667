package experiment

import (
	"fmt"
	"slices"
)

// delays are the eight values of D in the paper (section 4.4.1), in seconds: 0.1 to 10 heartbeats.
// It names seven; 6 s is ours.
var delays = []float64{0.3, 1.5, 3, 4.5, 6, 9, 15, 30}

// Matchmaking is the evaluation of matchmaking against delay scheduling (paper 003, chapter 4).
func Matchmaking() *Experiment {
	e := &Experiment{
		Name:  "003-matchmaking",
		Paper: "paper 003, chapter 4",
		About: "locality and response time of maps: matchmaking, delay scheduling, FIFO",
		Took:  "2 min",
		Files: []string{"loadgen.yaml", "wordcount.yaml"},
	}
	all, wait := locality(""), response("")
	sizes := []string{"bin1", "bin2", "bin3", "bin4", "bin5", "bin6"}
	for i, app := range []string{"loadgen", "wordcount"} {
		file := app + ".yaml"
		row := func(name, policy string) Row { return Row{name, Series{file, policy}} }
		delayed := func(order string) (rows []Row) {
			for _, d := range delays {
				rows = append(rows, row(fmt.Sprintf("D = %g s", d), fmt.Sprintf("%s+delay(D=%gs)", order, d)))
			}
			return rows
		}
		fifo, fifoMM, fairMM := row("FIFO", "fifo"), row("MM", "fifo+matchmaking"), row("MM", "fair+matchmaking")
		fifoD, fairD := delayed("fifo"), delayed("fair")
		key := func(figure string) string { return figure + " " + app }
		locFigure, timeFigure := fmt.Sprintf("4.%d", 1+i), fmt.Sprintf("4.%d", 3+i)

		e.Claims = append(e.Claims,
			more(key("locality highest, fifo"), "FIFO, "+app+": matchmaking has the highest locality of all D", fifoMM, append([]Row{fifo}, fifoD...), all),
			less(key("locality lowest, fifo"), "FIFO, "+app+": plain FIFO has the lowest locality", fifo, append([]Row{fifoMM}, fifoD...), all),
			grows(key("locality grows, fifo"), "FIFO, "+app+": delay's locality grows with D", fifoD, all),
			less(key("response shortest, fifo"), "FIFO, "+app+": matchmaking has the shortest map response of all D", fifoMM, append([]Row{fifo}, fifoD...), wait),
			more(key("response longest, fifo"), "FIFO, "+app+": plain FIFO has the longest map response", fifo, append([]Row{fifoMM}, fifoD...), wait),
		)
		if app == "loadgen" {
			e.Claims = append(e.Claims,
				less(key("response falls at first, fifo"), "FIFO, "+app+": delay's map response falls from D = 0.3 s to 1.5 s", fifoD[1], fifoD[:1], wait),
				more(key("response rises then, fifo"), "FIFO, "+app+": delay's map response rises from D = 1.5 s to 3 s", fifoD[2], fifoD[1:2], wait),
			)
		}
		standard := slices.Index(delays, 4.5)
		e.Claims = append(e.Claims, notLowest(key("default not best, fifo"), "FIFO, "+app+": the default, D = 4.5 s, does not have the shortest map response",
			fifoD[standard], slices.Concat(fifoD[:standard], fifoD[standard+1:]), wait))
		best, kind, from, to := "30 s", Number, 30.0, 30.0
		if app == "wordcount" {
			best, kind, from, to = "9 or 15 s", Range, 9, 15
		}
		e.Claims = append(e.Claims,
			lowestAt(key("best delay, fifo"), "FIFO, "+app+": delay's map response is shortest at D = "+best, kind, fifoD, delays, wait, from, to),
			more(key("locality highest, fair"), "fair, "+app+": matchmaking has the highest locality of all D", fairMM, fairD, all),
			nearLess(key("response near shortest, fair"), "fair, "+app+": matchmaking's map response is within 5 % of the shortest of all D", fairMM, fairD, wait, 0.05),
		)

		points := func(rows ...Row) (list []Point) {
			for _, r := range rows {
				list = append(list, Point{Tick: r.Name, Series: r.Series})
			}
			return list
		}
		ticks := append(append([]string{"FIFO"}, names(fifoD)...), "MM")
		fifoLines := []Line{{"FIFO", 0, points(fifo)}, {"FIFO with delay", 1, points(fifoD...)}, {"FIFO with matchmaking", 2, points(fifoMM)}}
		fairLines := []Line{{"fair with delay", 1, points(fairD...)}, {"fair with matchmaking", 2, points(fairMM)}}
		figure := func(title, source string, m Metric, lines ...Line) Figure {
			f := Figure{Title: title, Source: source, X: "delay scheduling by maximum delay D, and matchmaking (MM), side by side as in the paper", Metric: m, Ticks: ticks, Lines: lines}
			if len(lines) == len(fairLines) {
				f.Ticks = ticks[1:]
			}
			return f
		}
		e.Figures = append(e.Figures,
			figure(app+": data locality rate, FIFO order", "003 fig. "+locFigure, all, fifoLines...),
			figure(app+": map tasks' average response time, FIFO order", "003 fig. "+timeFigure, wait, fifoLines...),
			figure(app+": data locality rate, fair order", "003 fig. 4.5", all, fairLines...),
			figure(app+": map tasks' average response time, fair order", "003 fig. 4.6", wait, fairLines...),
		)

		perBin, perBinTime := []Metric{all}, []Metric{wait, running()}
		for _, s := range sizes {
			perBin = append(perBin, locality(s))
			perBinTime = append(perBinTime, response(s))
		}
		var rows []Row
		add := func(prefix string, list ...Row) {
			for _, r := range list {
				rows = append(rows, Row{prefix + r.Name, r.Series})
			}
		}
		add("", fifo)
		add("FIFO, ", fifoD...)
		add("FIFO, ", fifoMM)
		add("fair, ", fairD...)
		add("fair, ", fairMM)
		e.Tables = append(e.Tables, Table{app + ": data locality rate, and by size of the job (table 4.4)", rows, perBin},
			Table{app + ": map tasks' average response time, and by size of the job", rows, perBinTime})
		rate := map[string][]string{"loadgen": {"12.8MB", "25.6MB", "6.4MB", "3.2MB", "1.6MB", "0.8MB"}, "wordcount": {"4.27MB", "8.53MB", "2.13MB", "1.07MB", "0.53MB"}}[app]
		e.Assumptions = append(e.Assumptions, Assumption{"how fast a map of " + app + " works through its block; beyond a factor of two, to see where verdicts turn", file, "workload.mix.rate", rate[0], rate[1:]})
	}
	e.Assumptions = append(e.Assumptions,
		Assumption{"bytes a second that a map reads from another node; a local map reads from its own disk", "", "cluster.read.rack", "20MB", []string{"10MB", "40MB"}},
		Assumption{"how map times vary", "", "cluster.task_times.cv", "0.2", []string{"0.1", "0.4"}},
		Assumption{"how copies of blocks lie: evenly, or each drawn by itself", "", "cluster.placement", "spread", []string{"scatter"}},
	)
	return e
}
