package experiment

// concurrency004 is about the cost of a job beside the number of jobs.
func concurrency004() *Experiment {
	e := &Experiment{Name: "004-concurrency", Paper: "paper 004, section 5.4.2 (figure 8)", Took: "5 s",
		About: "how the cost of one job varies with how many run side by side, 10 to 30"}
	varies, one := value("cost varies by", "%"), play("one class", "instances.yaml", "concurrency")
	e.claim("constant", "the cost of a job varies by less than 0.002 %", below(0.00002, varies, one))
	e.table("cost of a job", []Metric{varies, value("varies, whole", "%")}, one)
	return e
}
