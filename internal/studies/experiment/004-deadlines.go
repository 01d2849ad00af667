package experiment

// deadlines004 is about the cost of tighter deadlines.
func deadlines004() *Experiment {
	e := &Experiment{Name: "004-deadlines", Paper: "paper 004, section 5.4.3 (figure 9)", Took: "5 s",
		About: "cost as all deadlines are tightened, 20 classes"}
	cost := value("times the cost", "times")
	change := sweep([]float64{0, -10, -20, -30, -40, -50, -60}, func(v string) Row {
		return play(v+" %", "instances.yaml", "deadlines "+v)
	})
	e.claim("times three", "deadlines 60 % tighter cost more than three times as much", above(3, cost, change.at(-60)))
	e.claim("rises", "the cost rises with each step", grows(cost, change...))
	e.figure(Figure{Title: "cost as deadlines are tightened", Source: "004 figure 9", X: "change of deadlines", Metric: cost},
		line("20 classes", 0, change))
	e.table("cost over that of the deadlines as they are (figure 9)", []Metric{cost}, change)
	return e
}
