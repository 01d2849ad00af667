package experiment

// boundsTwo004 is about how far the bounds of execution times are from what is simulated, of two classes of jobs.
func boundsTwo004() *Experiment {
	return bounds004("two", "tables 3 and 4", 0.19, 0.1)
}

// boundsThree004 is about the same of three classes.
func boundsThree004() *Experiment {
	return bounds004("three", "tables 5 and 6", 0.11, 0.05)
}

// bounds004 is about so many classes, of which these gaps were published.
func bounds004(classes, tables string, upper, middle float64) *Experiment {
	e := &Experiment{Name: "004-bounds-" + classes, Paper: "paper 004, section 5.2", Took: "5 min",
		About: classes + " classes of jobs on shared slots: simulated times beside the upper bound and the midpoint"}
	toUpper, toMiddle := value("gap of the upper bound", "%"), value("gap of the midpoint", "%")
	users := play("closed users", "users.yaml", "users")
	fixed := play("fixed point (eq. 42)", "users.yaml", "fixed point")
	e.claim("upper at least", "the upper bound is above what jobs take, by half of what was published or more",
		above(upper/2, toUpper, users))
	e.claim("upper at most", "and by twice of it at most", below(2*upper, toUpper, users))
	e.claim("middle at most", "the midpoint is off by twice of what was published at most",
		below(2*middle, toMiddle, users))
	e.claim("middle is nearer", "the midpoint is nearer than the upper bound",
		moreOf(toUpper, users, toMiddle, users.called("their midpoint")))
	e.table(classes+" classes ("+tables+"): gap to the bound, as a part of it",
		[]Metric{toUpper, toMiddle, value("iterations", "")}, users, fixed)
	return e
}
