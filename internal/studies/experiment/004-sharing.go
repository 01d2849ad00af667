package experiment

// sharing004 is about one problem for all classes beside one for each.
func sharing004() *Experiment {
	e := &Experiment{Name: "004-sharing", Paper: "paper 004, section 5.4.1 (figure 7)", Took: "5 s", Margin: 0.001,
		About: "what one cluster for all classes saves over one for each"}
	whole, split := value("saved by sharing", "%"), value("saved, split", "%")
	classes := sweep([]float64{20, 100, 200, 400, 600, 800, 1000}, func(v string) Row {
		return play(v, "instances.yaml", "sharing "+v)
	})
	e.claim("whole", "in whole machines, sharing changes the cost by 0.48 %, at 200 classes",
		number(whole, classes.at(200))).Fitted = "the mean time of tasks, 0.12 of the longest, was chosen by this number"
	e.claim("little", "it changes the cost by less than 1 %, at 1,000 classes", below(0.01, whole, classes.at(1000)))
	e.claim("split", "where machines can be split it changes nothing, at 200 classes",
		below(1e-9, split, classes.at(200))).Given = "without reserved machines the problem falls apart by class"
	e.figure(Figure{Title: "saved by sharing", Source: "004 figure 7", X: "classes", Metric: whole},
		line("whole machines", 0, classes))
	e.table("saved by sharing (figure 7)", []Metric{whole, split}, classes)
	return e
}
