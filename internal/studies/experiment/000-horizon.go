package experiment

// horizon000 is about the horizons Hp and Hc.
func horizon000() *Experiment {
	e := &Experiment{Name: "000-horizon", Paper: "paper 000, section 6.6", Took: "40 s",
		About: "penalty of RDS by its prediction and control horizons, 1 to 6 intervals"}
	costs := penalty(allJobs)
	all := []float64{1, 2, 3, 4, 5, 6}
	both := func(file string) Rows {
		return sweep(all, func(v string) Row { return play("Hp = Hc = "+v, file, "rds(hp="+v+",hc="+v+")") })
	}
	one := func(file string) Rows {
		return sweep(all[1:], func(v string) Row { return play("Hp = "+v+", Hc = 1", file, "rds(hp="+v+",hc=1)") })
	}
	for _, scale := range []string{"up", "out"} {
		how, file := "scale-"+scale, "../000-penalty/"+scale+".yaml"
		both := both(file)
		e.claim(how+", drops", how+": with Hp = Hc = 3 the penalty is less than with 1", less(costs, both.at(3), both.at(1)))
		e.claim(how+", rises", how+": with 6 it is more than with 3", more(costs, both.at(6), both.at(3)))
		e.claim(how+", least at 3", how+": it is least with 3", lowestAt(3, 3, costs, both...))
		e.figure(Figure{Title: how + ": penalty by the horizon", Source: "000 section 6.6", X: "horizon", Metric: costs},
			line("Hp = Hc", 0, both))
		e.table(how+": horizons", []Metric{costs, inTime(allJobs), completion(allJobs)}, both, one(file))
	}
	return e
}
