package experiment

import "github.com/slackline/slackline/internal/maths/each"

// matchmaking003 is the evaluation of matchmaking against delay scheduling.
func matchmaking003() *Experiment {
	e := &Experiment{Name: "003-matchmaking", Paper: "paper 003, chapter 4", Took: "3 min",
		About: "locality and response time of maps: matchmaking, delay scheduling, FIFO"}
	local, takes := locality(allJobs), response(allJobs)
	for _, c := range []struct{ app, locality, response string }{
		{"loadgen", "4.1", "4.3"}, {"wordcount", "4.2", "4.4"},
	} {
		file := c.app + ".yaml"
		// The eight values of D in the paper (section 4.4.1) are 0.1 to 10 heartbeats. It names seven; 6 s is ours.
		delay := func(order string) Rows {
			return sweep([]float64{0.3, 1.5, 3, 4.5, 6, 9, 15, 30}, func(v string) Row {
				r := play("D = "+v+" s", file, order+"+delay(D="+v+"s)")
				r.Unit = "s"
				return r
			})
		}
		fifo, fifoDelay, fifoMM := play("FIFO", file, "fifo"), delay("fifo"), play("MM", file, "fifo+matchmaking")
		fairDelay, fairMM := delay("fair"), play("MM", file, "fair+matchmaking")

		claim := func(what, order, text string, shown Check) {
			name := map[string]string{"fifo": "FIFO", "fair": "fair"}[order]
			e.claim(what+", "+order+" "+c.app, name+", "+c.app+": "+text, shown)
		}
		claim("locality highest", "fifo", "matchmaking has the highest locality of all D",
			more(local, fifoMM, fifo, fifoDelay))
		claim("locality lowest", "fifo", "plain FIFO has the lowest locality", less(local, fifo, fifoMM, fifoDelay))
		claim("locality grows", "fifo", "delay's locality grows with D", grows(local, fifoDelay...))
		claim("response shortest", "fifo", "matchmaking has the shortest map response of all D",
			less(takes, fifoMM, fifo, fifoDelay))
		claim("response longest", "fifo", "plain FIFO has the longest map response",
			more(takes, fifo, fifoMM, fifoDelay))
		if c.app == "loadgen" {
			claim("response falls at first", "fifo", "delay's map response falls from D = 0.3 s to 1.5 s",
				less(takes, fifoDelay.at(1.5), fifoDelay.at(0.3)))
			claim("response rises then", "fifo", "delay's map response rises from D = 1.5 s to 3 s",
				more(takes, fifoDelay.at(3), fifoDelay.at(1.5)))
		}
		claim("default not best", "fifo", "the default, D = 4.5 s, does not have the shortest map response",
			notLowest(takes, fifoDelay.at(4.5), fifoDelay))
		if c.app == "loadgen" {
			claim("best delay", "fifo", "delay's map response is shortest at D = 30 s",
				lowestAt(30, 30, takes, fifoDelay...))
		} else {
			claim("best delay", "fifo", "delay's map response is shortest at D = 9 or 15 s",
				lowestAt(9, 15, takes, fifoDelay...))
		}
		claim("locality highest", "fair", "matchmaking has the highest locality of all D",
			more(local, fairMM, fairDelay))
		claim("response near shortest", "fair", "matchmaking's map response is within 5 % of the shortest of all D",
			nearLess(0.05, takes, fairMM, fairDelay))

		figure := func(what, order, source string, m Metric, lines ...Line) {
			e.figure(Figure{Metric: m, Title: c.app + ": " + what + ", " + order + " order", Source: "003 fig. " + source,
				X: "delay scheduling by maximum delay D, and matchmaking (MM), side by side as in the paper"}, lines...)
		}
		fifoLines := []Line{line("FIFO", 0, fifo), line("FIFO with delay", 1, fifoDelay),
			line("FIFO with matchmaking", 2, fifoMM)}
		fairLines := []Line{line("fair with delay", 1, fairDelay), line("fair with matchmaking", 2, fairMM)}
		figure("data locality rate", "FIFO", c.locality, local, fifoLines...)
		figure("map tasks' average response time", "FIFO", c.response, takes, fifoLines...)
		figure("data locality rate", "fair", "4.5", local, fairLines...)
		figure("map tasks' average response time", "fair", "4.6", takes, fairLines...)

		all := Rows(list([]some{fifo, under("FIFO, ", fifoDelay, fifoMM), under("fair, ", fairDelay, fairMM)}))
		sizes := []string{"bin1", "bin2", "bin3", "bin4", "bin5", "bin6"}
		e.table(c.app+": data locality rate, and by size of the job (table 4.4)",
			append([]Metric{local}, each.Of(sizes, locality)...), all)
		e.table(c.app+": map tasks' average response time, and by size of the job",
			append([]Metric{takes, running()}, each.Of(sizes, response)...), all)
	}
	return e
}
