package bounds

// A Phase is the maps or the reduces of a job: so many tasks, their mean time, and the longest.
type Phase struct {
	Tasks     int
	Mean, Max float64
}

// Work is the time of all tasks together: that of the phase on a single slot.
func (p Phase) Work() float64 { return float64(p.Tasks) * p.Mean }

// Phases are those of a job: its maps, and its reduces with the typical shuffle.
func (j Job) Phases() [2]Phase {
	return [2]Phase{{j.Maps, j.Map.Mean, j.Map.Max}, {j.Reduces, j.Shuffle.Mean + j.Reduce.Mean, j.Shuffle.Max + j.Reduce.Max}}
}

// Lower is how long the phase takes at least on so many slots of its own.
func (p Phase) Lower(slots float64) float64 { return p.Work() / slots }

// Upper is how long it takes at most, if a free slot never waits while a task does (proposition 2.1).
// The longest task starts last, when all slots have been busy so far.
func (p Phase) Upper(slots float64) float64 {
	if p.Tasks == 0 {
		return 0
	}
	return (p.Work()-p.Max)/slots + p.Max
}

// TwoLower bounds two jobs of one phase that start together on slots of which the first has this
// share: no job ends before first, and they do not both end before last (proposition 2.2). The doc
// comment of the package says which rule of lending each needs.
func TwoLower(a, b Phase, share, slots float64) (first, last float64) {
	return min(a.Lower(share*slots), b.Lower((1-share)*slots)), (a.Work() + b.Work()) / slots
}

// UpperBeside is how long the phase takes at most beside another that starts at the same time, if
// each slot is lent as soon as its job has no task waiting (proposition 2.3). The share is that of p.
func (p Phase) UpperBeside(other Phase, share, slots float64) float64 {
	if p.Tasks == 0 {
		return 0
	}
	if other.Lower((1-share)*slots) >= (p.Work()-p.Max)/(share*slots) {
		return p.Upper(share * slots)
	}
	return (other.Work()+p.Work()-p.Max)/slots + p.Max
}

// LowerShared is how long the phase takes at least in each of so many concurrent jobs of a class that
// has a share of the slots (proposition 2.4).
func (p Phase) LowerShared(jobs, share, slots float64) float64 {
	return p.Lower(share * slots / jobs)
}

// UpperShared is how long it takes at most (proposition 2.5). It holds with one slot or more for each
// job. The job before still keeps all but one of the slots for the time of the longest task, and the
// longest task starts last.
func (p Phase) UpperShared(jobs, share, slots float64) float64 {
	if p.Tasks == 0 {
		return 0
	}
	return (p.Work()-2*p.Max)/(share*slots/jobs) + 2*p.Max
}
