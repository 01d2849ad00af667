package experiment

import "fmt"

// flow001 is flow, which is ours, beside DAWSEE and what people ask for first, on the workflows of paper 001.
func flow001() *Experiment {
	e := &Experiment{Name: "001-flow", Paper: "ours, on the workflows of paper 001, section VI-B", Took: "6 min", Margin: 0.05,
		About: "flow: how far it is above the linear bound as the load rises, and what errors of its estimates cost"}
	energy, missed, above1 := value("energy of a workflow", "MJ"), value("missed", "%"), value("above the bound", "%")
	shown := []Metric{energy, missed, above1}
	flow := func(file string) Row { return play("flow", file, "flow") }
	// DAWSEE with the beta that is best of 0, 5, 10, 15, 20 and 30 at normal load.
	dawsee := func(file string) Row { return play("DAWSEE, beta 20", file, "dawsee(beta=20)") }

	e.ours("alone flow is within 2 % of the linear bound", below(0.02, above1, flow("alone.yaml")))
	for _, load := range []string{"alone", "normal", "twice", "busy"} {
		file := load + ".yaml"
		e.ours(load+": flow takes less energy than DAWSEE at its best beta", less(energy, flow(file), dawsee(file)))
		e.ours(load+": flow takes at least 8 % less energy than that", above(0.08, energy, flow(file).over("flow over DAWSEE, beta 20", "dawsee(beta=20)")))
		e.ours(load+": flow misses less than one deadline in a thousand", below(1e-3, missed, flow(file)))
		e.ours(load+": flow takes at least 8 % less energy than DAWSEE as printed", above(0.08, energy, flow(file).over("flow over DAWSEE as printed", "printed-dawsee")))
		e.table(load, shown, flow(file), dawsee(file), play("DAWSEE as printed", file, "printed-dawsee"))
	}
	heft := play("HEFT", "normal.yaml", "edf+ranks(by=up)+take(first=fast)")
	e.ours("flow takes less energy than HEFT", less(energy, flow("normal.yaml"), heft))
	wrong := func(by int) Rows {
		return Rows{play(fmt.Sprintf("flow, estimates wrong by up to %d %%", by), "normal.yaml", fmt.Sprintf("misled-flow(error=%d)", by)),
			play(fmt.Sprintf("DAWSEE, beta 20, by up to %d %%", by), "normal.yaml", fmt.Sprintf("misled-dawsee(beta=20,error=%d)", by)),
			play(fmt.Sprintf("DAWSEE as printed, by up to %d %%", by), "normal.yaml", fmt.Sprintf("misled-printed-dawsee(error=%d)", by)),
			play(fmt.Sprintf("flow, beta 20, by up to %d %%", by), "normal.yaml", fmt.Sprintf("misled-flow(beta=20,error=%d)", by))}
	}
	for _, by := range []int{10, 20, 30, 50} {
		r := wrong(by)
		e.ours(fmt.Sprintf("with estimates wrong by up to %d %% flow takes less energy than DAWSEE", by), less(energy, r[0], r[1]))
		e.ours(fmt.Sprintf("with estimates wrong by up to %d %% flow misses fewer deadlines at the same beta", by), less(missed, r[3], r[1]))
	}
	e.table("lists, at normal load", shown, heft, play("CPoP", "normal.yaml", "edf+ranks(by=through)+take(first=fast)"))
	e.table("errors of estimates, at normal load", shown, wrong(10), wrong(20), wrong(30), wrong(50))
	return e
}
