package experiment

// boundsTwo004 is about how far the bounds of execution times are from what is simulated, of two classes of jobs.
func boundsTwo004() *Experiment {
	return bounds004("two", "tables 3 and 4")
}

// boundsThree004 is about the same of three classes.
func boundsThree004() *Experiment {
	return bounds004("three", "tables 5 and 6")
}

// bounds004 is about so many classes.
func bounds004(classes, tables string) *Experiment {
	e := &Experiment{Name: "004-bounds-" + classes, Paper: "paper 004, section 5.2", Took: "5 min", Margin: 0.05,
		About: classes + " classes of jobs on shared slots: simulated times beside the upper bound and the midpoint"}
	toUpper, toMiddle := value("gap of the upper bound", "%"), value("gap of the midpoint", "%")
	users := play("closed users", "users.yaml", "users")
	fixed := play("fixed point (eq. 42)", "users.yaml", "fixed point")
	e.claim("upper", "the upper bound is above what jobs take", number(toUpper, users))
	e.claim("middle", "the midpoint is off", number(toMiddle, users))
	e.claim("middle is nearer", "the midpoint is nearer than the upper bound",
		moreOf(toUpper, users, toMiddle, users.called("their midpoint")))
	e.table(classes+" classes ("+tables+"): gap to the bound, as a part of it",
		[]Metric{toUpper, toMiddle, value("iterations", "")}, users, fixed)
	return e
}
