package bounds

// A Time is the mean and the longest of what was measured.
type Time struct{ Mean, Max float64 }

// A Job is the profile of a class: how many tasks a job has, and what they take. A reduce first
// fetches what the maps wrote. In the first wave, as far as the fetch does not overlap with maps,
// that is First; in later waves it is Shuffle.
type Job struct {
	Maps, Reduces               int
	Map, First, Shuffle, Reduce Time
}

// A Line is the completion time of a job as equation 4 has it: A h/s_M + B h/s_R + C.
type Line struct {
	A, B, C float64

	// The fewest slots for each concurrent job that Least gives: 1 where the line does not hold with
	// less, 0 where it does.
	LeastMaps, LeastReduces float64
}

// Lower is the least that a job takes (equation 1).
func (j Job) Lower() Line {
	l := Line{A: float64(j.Maps) * j.Map.Mean, B: float64(j.Reduces) * (j.Shuffle.Mean + j.Reduce.Mean)}
	if j.Reduces > 0 {
		l.C = j.First.Mean - j.Shuffle.Mean
	}
	return l
}

// Upper is the most that it takes (equation 2).
func (j Job) Upper() Line {
	var l Line
	if j.Maps > 0 {
		l.A = float64(j.Maps)*j.Map.Mean - 2*j.Map.Max
		l.C = 2 * j.Map.Max
		l.LeastMaps = 1
	}
	if j.Reduces > 0 {
		l.B = float64(j.Reduces)*(j.Shuffle.Mean+j.Reduce.Mean) - 2*(j.Shuffle.Max+j.Reduce.Max)
		l.C += j.First.Max + 2*(j.Shuffle.Max+j.Reduce.Max)
		l.LeastReduces = 1
	}
	return l
}

// Mean lies in the middle between them (equation 3). It is an estimate, no bound.
func (j Job) Mean() Line {
	low, up := j.Lower(), j.Upper()
	l := Line{A: (low.A + up.A) / 2, B: (low.B + up.B) / 2, C: (low.C + up.C) / 2}
	if j.Maps > 0 && l.A <= 0 {
		l.LeastMaps = 1
	}
	if j.Reduces > 0 && l.B <= 0 {
		l.LeastReduces = 1
	}
	return l
}

// Whole is the line for jobs that get one map slot and one reduce slot at least.
func (l Line) Whole() Line {
	if l.A != 0 {
		l.LeastMaps = 1
	}
	if l.B != 0 {
		l.LeastReduces = 1
	}
	return l
}

// Time is how long each of so many concurrent jobs takes on slots that they share evenly (equation 4).
func (l Line) Time(jobs, maps, reduces float64) float64 {
	return over(l.A, maps/jobs) + over(l.B, reduces/jobs) + l.C
}

// Limit is what no number of slots, however large, gets below.
func (l Line) Limit() float64 {
	return l.C + over(min(l.A, 0), l.LeastMaps) + over(min(l.B, 0), l.LeastReduces)
}

// over divides work by slots. Nothing to do takes no time, with no slots either.
func over(work, slots float64) float64 {
	if work == 0 {
		return 0
	}
	return work / slots
}
