package experiment

// efh003 is the evaluation of EFH, with an ablation.
func efh003() *Experiment {
	e := &Experiment{Name: "003-efh", Paper: "paper 003, chapter 6", Took: "30 s",
		About: "energy and locality of maps on CPUs and GPUs: EFH, FIFO, the most efficient nodes alone"}
	turnaround := Metric{"turnaround", "h", func(o *Outcome) float64 { return o.Summary.Makespan / 3600 }}
	net := Metric{"energy net of idle", "kWh", func(o *Outcome) float64 { return *o.Summary.TaskEnergy }}
	local, answer := locality(allJobs), Metric{"mean response", "s", func(o *Outcome) float64 { return *o.Summary.MeanResponse }}

	const ae, label = "ae.yaml", "label.yaml"
	fifo, efh := play("FIFO", ae, "fifo"), play("EFH", ae, "efh(T=1h)")
	off, ideal := play("EFH without AE", ae, "efh(T=1h,ae=off)"), play("IDEAL", ae, "ideal")
	overflow, reserve := play("EFH, AE as overflow", ae, "efh(T=1h,ae=overflow)"), play("EFH, GPUs reserved", ae, "efh(T=1h,gpu=reserve)")
	later := play("EFH, AE as overflow, T = 4 h", ae, "efh(T=4h,ae=overflow)")
	labelled, same := play("FIFO with the label", label, "fifo"), play("EFH with the label", label, "efh(T=1h)")

	for _, c := range []struct {
		name string
		is   Row
	}{{"FIFO", fifo}, {"EFH", efh}, {"EFH without AE", off}} {
		e.claim("turnaround of "+c.name, "table 6.12: turnaround of "+c.name, number(turnaround, c.is))
		e.claim("locality of "+c.name, "table 6.12: locality of "+c.name, number(local, c.is))
	}
	e.claim("turnaround of IDEAL", "table 6.12: turnaround of IDEAL", number(turnaround, ideal)).Given = "the times of GPUs follow from it"
	e.claim("without AE saves", "EFH without AE uses less than FIFO", less(net, off, fifo))
	e.claim("EFH saves", "EFH uses less than FIFO", less(net, efh, fifo))
	e.claim("without AE takes longer", "EFH without AE takes longer than FIFO", more(turnaround, off, fifo))
	e.claim("AE shortens", "EFH takes less long with AE than without", less(turnaround, efh, off))
	e.claim("no free lunch", "EFH uses more with AE than without", more(net, efh, off))
	e.claim("ideal energy", "IDEAL uses the least", less(net, ideal, fifo, efh, off))
	e.claim("ideal locality", "IDEAL has the lowest locality", less(local, ideal, fifo, efh, off))

	// What is below is ours: whence the saving comes.
	e.ours("with AE as printed EFH uses at most 3 % more than FIFO", nearLess(0.03, net, efh, fifo))
	e.ours("and at most 3 % less", nearLess(0.03, net, fifo, efh))
	e.ours("without AE it is the label that saves: EFH uses at most 1 % less than FIFO with it", nearLess(0.01, net, labelled, same))
	e.ours("AE as overflow uses less than AE as printed", less(net, overflow, efh))
	e.ours("and less than FIFO", less(net, overflow, fifo))
	e.ours("GPUs that are kept for GPU jobs save energy", less(net, reserve, efh))
	e.ours("and time", less(turnaround, reserve, efh))
	e.ours("jobs are answered sooner than by FIFO", less(answer, efh, fifo))

	parts := Rows{efh}
	for _, part := range []string{"ef", "dop", "optset", "r", "scarcest", "locality"} {
		r := play("EFH without "+part, ae, "efh(T=1h,without="+part+")")
		if parts = append(parts, r); part == "ef" || part == "dop" || part == "optset" {
			e.ours(part+" is worth at most 1.5 % of the energy", nearLess(0.015, net, r, efh))
		}
	}
	e.ours("r is what puts small jobs first", less(answer, efh, parts[4]))
	e.ours("level II is locality", more(local, efh, parts[6]))
	e.ours("of that the scarcest task first adds at most a fiftieth", nearLess(0.02, local, efh, parts[5]))

	all := []Metric{turnaround, net, local, answer}
	e.table("with adaptive execution (tables 6.11, 6.12)", all, fifo, efh, off, ideal)
	e.table("what EFH is made of", all, efh, play("R as printed, above what there is", ae, "efh(T=1h,cap=false)"),
		play("T = 10 min", ae, "efh(T=10m)"), play("T = 4 h", ae, "efh(T=4h)"), overflow, later, reserve)
	e.table("EFH without one of its parts", all, parts)
	e.table("GPU jobs with a label", all, labelled, same)
	return e
}
