package experiment

// model000 is about errors of models and forecasts.
func model000() *Experiment {
	e := &Experiment{Name: "000-model", Paper: "paper 000, section 6.3 (figure 10)", Took: "60 s", Margin: 0.02,
		About: "how far models are off, and what errors of models and of forecasts cost"}
	costs, off := penalty(allJobs), modelError("model error", false)
	model := func(file string) Rows {
		return sweep([]float64{0, 10, 20, 35, 60}, func(v string) Row {
			return play("RDS, models wrong by "+v+" %", file, "rds-believing(model_error="+v+",error_seed={seed})")
		})
	}
	capacity := func(file string) Rows {
		return sweep([]float64{10, 20, 35, 60}, func(v string) Row {
			return play("RDS, forecasts wrong by "+v+" %", file, "rds-believing(capacity_error="+v+",error_seed={seed})")
		})
	}

	const file, together = "model.yaml", "../000-horizon/maps.yaml"
	exact := play("nothing to foresee", "exact.yaml", "rds")
	noPath := play("all late together, no fast path", together, "rds(fast=false)")
	left := play("all late together", together, "rds")
	byPlan := play("urgent jobs with one interval: all slots by plan", "one.yaml", "rds")
	e.claim("error", "error of the progress that models foresee", number(off, model(file).at(0)))
	e.claim("misses grow", "with models wrong by 35 % more jobs are late than with 10 %",
		more(late(allJobs), model(file).at(35), model(file).at(10)))
	e.claim("with forecasts", "with forecasts wrong by 35 % more jobs are late than with 10 %",
		more(late(allJobs), capacity(file).at(35), capacity(file).at(10)))
	e.figure(Figure{Title: "late jobs by the error of models", Source: "000 figure 10b", X: "error", Metric: late(allJobs)},
		line("models", 0, model(file)))
	e.table("models: error by the mean of progress and by its range (figures 10a, 10b, 10d)",
		[]Metric{off, modelError("model error by range", true), late(allJobs), costs}, model(file), capacity(file),
		play("RDS, capacity as it is", file, "rds-believing(capacity=persistence)"), exact, left, noPath, byPlan)

	// What is below is ours: it shows when errors of models cost something.
	one, three := model("one.yaml"), model("three.yaml")
	e.ours("urgent jobs with one interval: with models wrong by 35 % more are late than with 10 %",
		more(late("urgent"), one.at(35), one.at(10)))
	e.ours("and with 60 % more than with 35 %", more(late("urgent"), one.at(60), one.at(35)))
	e.ours("where all slots are had by plan, models are less far off",
		less(off, byPlan, model(file).at(0)))
	e.ours("with three intervals, in which later plans mend what earlier ones did, fewer are late with 35 %",
		less(late("urgent"), three.at(35).called("three intervals, models wrong by 35 %"),
			one.at(35).called("one interval, models wrong by 35 %")))
	for _, c := range []struct{ file, how string }{{"one.yaml", "one interval"}, {"three.yaml", "three intervals"}} {
		e.table("urgent jobs with "+c.how+", beside large ones", []Metric{late("urgent"), late("large"), costs},
			model(c.file), capacity(c.file))
	}
	e.ours("where all jobs are late together, models wrong by 60 % cost less than a twentieth of the penalty",
		nearLess(0.05, costs, model(together).at(60), model(together).at(0)))
	// And this, where the error of plans comes from.
	e.ours("with nothing to foresee plans are still off by more than half, as jobs also have slots that the plan"+
		" leaves", above(0.5, off, exact))
	return e
}
