package experiment

// sweep001 is the simulation of paper 001 over all that its figures vary, and over what decides its savings.
func sweep001() *Experiment {
	e := &Experiment{Name: "001-sweep", Paper: "paper 001, section VI-B (figures 13 to 20), and ours", Took: "9 min", Margin: 0.05,
		About: "dynamic energy and missed deadlines of workflows by deadline, load, size and machines; beta, eps, load and slope together"}
	energy, missed := value("energy of a workflow", "MJ"), value("missed", "%")
	shown := []Metric{energy, missed}
	const minD, last = "edf+vds+deets", "+ranks(by=left)+take(first=frugal)"
	of := func(name, policy, said string) Row { return play(name+said, "printed.yaml", policy+said) }
	dawsee := func(said string) Row { return of("DAWSEE", "dawsee", said) }
	static := func(said string) Row { return of("BAWMEE", bawmee, said) }
	saves := func(said string) Row { return dawsee(said).over("DAWSEE over MinD+ED"+said, minD+said) }

	e.claim("tight", "at a factor of 0.05 DAWSEE takes 30.4 % less energy than MinD+ED", number(energy, saves(" factor=0.05")))
	e.claim("loose", "at a factor of 0.5 it takes 41.8 % less", number(energy, saves(" factor=0.5")))
	e.claim("missed", "at a factor of 0.05 it misses next to no deadline", below(0.05, missed, dawsee(" factor=0.05")))
	e.claim("intervals", "each 15 min DAWSEE takes less energy than BAWMEE", less(energy, dawsee(" load=2"), static(" load=2")))
	e.claim("sizes", "of 15 jobs BAWMEE takes less energy than DAWSEE", less(energy, static(" size=15"), dawsee(" size=15")))
	e.claim("machines", "on 256 machines BAWMEE takes less energy than DAWSEE", less(energy, static(" machines=64"), dawsee(" machines=64")))
	few := of("flow, beta 0,", "flow(beta=0)", " size=5")
	e.ours("of 5 jobs flow without beta is within 2 % of the optimum", above(-0.02, energy, few.over(few.Name+" over the optimum", optimum+" size=5")))
	e.table("the optimum of 5 jobs", shown, of(optimum, optimum, " size=5"), few)
	for _, f := range []struct {
		key, figures string
		values       []float64
	}{{"factor", "13 and 17", []float64{0.05, 0.1, 0.2, 0.3, 0.5}}, {"load", "14 and 18", []float64{0.5, 1, 2}},
		{"size", "15 and 19", []float64{5, 15, 25, 50, 75}}, {"machines", "16 and 20", []float64{16, 32, 48, 64}}} {
		var lines []Line
		var rows Rows
		for _, p := range []Row{dawsee(""), of("flow", "flow", ""), static(""), of("MinD+ED", minD, ""), of("EEDAW", "edf"+last, ""), of("ATP-EEDAW, beta 0,", "edf+atp(beta=0)"+last, "")} {
			one := sweep(f.values, func(v string) Row { return of(p.Name, p.Policy, " "+f.key+"="+v) })
			lines, rows = append(lines, line(p.Name, 0, one)), append(rows, one...)
		}
		e.ours(f.key+": flow takes less energy than DAWSEE", less(energy, rows[len(f.values)+1], rows[1]))
		e.figure(Figure{Title: "by " + f.key, Source: "001 figures " + f.figures, X: f.key, Metric: energy}, lines...)
		e.table("by "+f.key+" (figures "+f.figures+")", shown, rows)
	}
	var grid Rows
	for _, load := range []string{" load=1", " load=4"} {
		var slopes Rows
		for _, slope := range []string{" slope=0.0041", " slope=0.0097", " slope=0.0181"} {
			for _, eps := range []string{"10", "100"} {
				with := func(beta string) Row {
					return of("DAWSEE, eps "+eps+", beta "+beta+",", "dawsee(eps="+eps+",beta="+beta+")", load+slope)
				}
				e.ours("eps "+eps+load+slope+": beta 10 takes less energy than 0", less(energy, with("10"), with("0")))
				grid = append(grid, with("0"), with("5"), with("10"), with("20"))
			}
			slopes = append(slopes, saves(load+slope))
		}
		e.ours(load[1:]+": DAWSEE saves more over MinD+ED the more cutting costs", grows(energy, slopes...))
		grid = append(grid, slopes...)
	}
	e.table("beta, eps, load and slope together", shown, grid)
	return e
}
