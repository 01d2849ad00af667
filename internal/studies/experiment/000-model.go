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

	const file = "model.yaml"
	exact := play("nothing to foresee", "exact.yaml", "rds")
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
		play("RDS, capacity as it is", file, "rds-believing(capacity=persistence)"), exact, byPlan)

	// What is below is ours: it shows when errors of models cost something, and where the error of plans comes from.
	one := model("one.yaml")
	e.ours("urgent jobs with one interval: with models wrong by 35 % more are late than with 10 %",
		more(late("urgent"), one.at(35), one.at(10)))
	e.ours("where all slots are had by plan, models are less far off",
		less(off, byPlan, model(file).at(0)))
	e.table("urgent jobs with one interval, beside large ones", []Metric{late("urgent"), late("large"), costs},
		one, capacity("one.yaml"))
	e.ours("with nothing to foresee plans are still off by more than half, as jobs also have slots that the plan"+
		" leaves", above(0.5, off, exact))
	return e
}
