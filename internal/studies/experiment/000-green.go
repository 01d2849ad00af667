package experiment

// green000 is about forecasts by weather against those by ARIMA.
func green000() *Experiment {
	e := &Experiment{Name: "000-green", Paper: "paper 000, section 6.4 (figure 11a)", Took: "60 s",
		About: "late jobs and penalty of RDS where green power is foreseen by ARIMA or by weather"}
	for _, scale := range []string{"up", "out"} {
		how, file := "scale-"+scale, scale+".yaml"
		arima, weather := play("RDS, ARIMA", file, "rds"), play("RDS, weather", file, "rds-believing(capacity=told)")
		saved := weather.over("RDS, weather over ARIMA", "rds")
		costs, classes := penalty(allJobs), []string{"wordcount", "grep", "terasort"}
		shown := []Metric{}
		for _, class := range classes {
			e.claim(how+", "+class, how+": fewer jobs of "+class+" are late with forecasts by weather than by ARIMA",
				less(late(class), weather, arima))
			shown = append(shown, late(class))
		}
		e.claim(how+", all", how+": fewer jobs are late with forecasts by weather", less(late(allJobs), weather, arima))
		e.claim(how+", terasort saved", how+": part of terasort's late jobs that forecasts by weather save",
			number(late("terasort"), saved))
		e.claim(how+", penalty", how+": there is less penalty with forecasts by weather", less(costs, weather, arima))
		e.claim(how+", penalty saved", how+": part of the penalty that forecasts by weather save", number(costs, saved))
		e.table(how+": late jobs and penalty (figure 11a)", append(shown, late(allJobs), costs), arima,
			play("RDS, ARIMA that knows the day before", scale+"-arima.yaml", "rds-believing(capacity=told)"), weather,
			play("RDS, capacity as it is", file, "rds-believing(capacity=persistence)"),
			play("RDS, ARIMA, Hc = 1", file, "rds(hc=1)"), play("RDS, weather, Hc = 1", file, "rds-believing(hc=1,capacity=told)"),
			play("EDF-P", file, "edf-p"))
	}

	const sky = "weather.yaml"
	off, ahead := value("capacity error", "%"), []float64{1, 3, 6}
	foreseen := play("weather, any distance", sky, "weather")
	ar := sweep(ahead, func(v string) Row { return play("AR(3), "+v+" ahead", sky, "ar "+v) })
	last := sweep(ahead, func(v string) Row { return play("persistence, "+v+" ahead", sky, "persistence "+v) })
	e.ours("three intervals ahead forecasts by weather are nearer to the capacity than AR(3)",
		less(off, foreseen, ar.at(3)))
	e.table("root of the mean squared error of forecasts of capacity, divided by its mean", []Metric{off}, foreseen, ar, last)
	return e
}
