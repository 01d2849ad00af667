package experiment

import "fmt"

// demand002 is how many nodes On-demand asks for.
func demand002() *Experiment {
	e := &Experiment{Name: "002-demand", Paper: "paper 002, section 4", Took: "15 s",
		About: "nodes that are asked for, by size and by deadline: On-demand; and how many are needed"}
	type point struct {
		file  string
		value float64
	}
	over := func(unit, policy string, points ...point) (rows Rows) {
		for _, p := range points {
			r := play(fmt.Sprint(p.value, " ", unit), p.file, policy)
			r.Value, r.Unit = p.value, unit
			rows = append(rows, r)
		}
		return rows
	}
	sized := func(policy string) Rows {
		return over("GB", policy, point{"4gb.yaml", 4}, point{"8gb.yaml", 8}, point{"16gb.yaml", 16}, point{"32gb.yaml", 32})
	}
	due := func(policy string) Rows {
		return over("min", policy, point{"8min.yaml", 8}, point{"6min.yaml", 6}, point{"4min.yaml", 4}, point{"16gb.yaml", 2})
	}
	const ours = "edf(feasible)+slowstart+need"
	e.claim("grows with size", "the more data a job has, the more nodes are asked for",
		grows(nodesRented(), sized("ondemand")...))
	e.claim("falls with deadline", "the shorter its deadline is, the more are asked for",
		grows(nodesRented(), due("ondemand")...))
	// What is below is ours: how many are needed, which the paper does not ask.
	for i, r := range sized(ours) {
		if i < 2 {
			continue
		}
		e.ours(r.Name+": need is in time with fewer nodes", less(nodesRented(), r.called("need"), sized("ondemand")[i].called("On-demand")))
		e.ours(r.Name+": and is in time", above(0.95, inTime(allJobs), r.called("need")))
	}
	e.figure(Figure{Title: "nodes by size, deadline of 2 min", Source: "002 figure 4", Bars: true, Metric: nodesRented()},
		line("On-demand", 0, sized("ondemand")), line("need", 1, sized(ours)))
	e.figure(Figure{Title: "nodes by deadline, 16 GB", Source: "002 figure 5", Bars: true, Metric: nodesRented()},
		line("On-demand", 0, due("ondemand")), line("need", 1, due(ours)))
	shown := []Metric{nodesRented(), nodeHours(), inTime(allJobs), completion(allJobs)}
	e.table("by size: On-demand", shown, sized("ondemand"))
	e.table("by size: need", shown, sized(ours))
	return e
}
