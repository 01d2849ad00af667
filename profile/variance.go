package profile

import "math"

// variance says how what a line leaves is shared out between jobs and their tasks.
type variance struct {
	shared, own, total float64 // deviations of logarithms
	jobs, tasks        float64 // effective counts
	values             float64 // independent values among the tasks
	within             float64 // likewise, of differences within jobs
	part               float64 // of the variance that tasks of a job share in the model from which is borrowed
	means              []float64
}

// components is the one-way analysis of variance of unbalanced groups, in which the model from
// which is borrowed counts as one degree of freedom. Where no job has two tasks, it says how much of
// all that they share.
func components(s *Sample, w []float64, residuals []weighted, from *Model) (v variance) {
	v.means = make([]float64, len(s.Jobs))
	prior := from.Total.deviation()
	v.part = alike
	if a, b := from.Shared.deviation(), from.Own.deviation(); a+b > 0 {
		v.part = a * a / (a*a + b*b)
	}
	part := v.part
	var jobs, jobSquares, tasks, squares, within, free float64
	var mean, perTask, perJob float64
	k := 0
	for i, j := range s.Jobs {
		n := float64(len(j))
		sum := 0.0
		for t := range j {
			sum += residuals[k+t].at
		}
		v.means[i] = sum / n
		for t := range j {
			d := residuals[k+t].at - v.means[i]
			within += w[i] * d * d
		}
		k += len(j)
		jobs, jobSquares = jobs+w[i], jobSquares+w[i]*w[i]
		tasks += w[i] * n
		squares += w[i] * w[i] * n
		free += w[i] * (n - 1)
		mean += w[i] * sum
		perTask += w[i] * w[i] * n
		perJob += w[i] * w[i] * n * n
	}
	mean /= tasks
	between := 0.0
	for i, j := range s.Jobs {
		d := v.means[i] - mean
		between += w[i] * float64(len(j)) * d * d
	}
	v.jobs, v.tasks, v.within = jobs*jobs/jobSquares, tasks*tasks/squares, free
	all := (between + within + prior*prior) / tasks // a first guess of all variance
	own := (within + (1-part)*all) / (free + 1)
	ofOwn, ofShared := jobs-perTask/tasks, tasks-perJob/tasks
	shared := part * all
	if ofShared > 1e-9 {
		measured := max(0, (between-own*ofOwn)/ofShared)
		shared = (measured*(v.jobs-1) + max(part*prior*prior, part*all)) / v.jobs
	} else {
		shared = max(shared, part*prior*prior)
	}
	v.own, v.shared, v.total = math.Sqrt(own), math.Sqrt(shared), math.Sqrt(own+shared)
	inClass := 0.0
	if own+shared > 0 {
		inClass = shared / (own + shared)
	}
	sum, square := 0.0, 0.0
	for i, j := range s.Jobs {
		n := float64(len(j))
		x := w[i] * n / (1 + (n-1)*inClass)
		sum, square = sum+x, square+x*w[i]
	}
	v.values = sum * sum / square
	return v
}

// apart are the residuals of tasks within their jobs, and what the tasks of each job share, both
// sorted around their medians. A mean over few tasks varies with these tasks: it is drawn in, so that
// the variance of all of them is that of what is shared.
//
// Of the mean M of a job's n tasks only the part is taken off each that is shared, as far as can be told:
// the best linear prediction (Robinson 1991), S/(S + O/n)·M, where S and O are the variances of what is
// shared and own. To take off all of M would spread one slow task over the others of its job, and draw it
// in itself. What is left has the variance O·(1 - S/(S + O/n)/n), and is stretched to O.
func (v *variance) apart(s *Sample, w []float64, residuals []weighted) (own, shared []weighted) {
	k := 0
	for i, j := range s.Jobs {
		n := float64(len(j))
		all := v.shared*v.shared + v.own*v.own/n
		if len(j) > 1 {
			part := 1.0
			if all > 0 {
				part = v.shared * v.shared / all
			}
			left := 1 - part/n
			for t := range j {
				own = append(own, weighted{(residuals[k+t].at - part*v.means[i]) / math.Sqrt(left), w[i] * left})
			}
		}
		k += len(j)
		if all > 0 {
			shared = append(shared, weighted{v.means[i] * v.shared / math.Sqrt(all), w[i]})
		}
	}
	for _, ws := range [][]weighted{own, shared} {
		sortWeighted(ws)
		m := middle(ws)
		for i := range ws {
			ws[i].at -= m
		}
	}
	return own, shared
}

// jumped tells whether the last jobs of a sample cost another multiple of the model than those
// before, and how many they are: 0 if there is no jump. Of all splits it takes the one that differs
// most for its deviation. A difference below a fifth is none.
func jumped(s *Sample, m *Model) (jobs int, ratio float64) {
	const (
		leastBehind, leastBefore = 4, 8
		sure                     = 5 // deviations
	)
	n := len(s.Jobs)
	effects := make([]float64, n)
	total, square := 0.0, 0.0
	for i, j := range s.Jobs {
		for _, t := range j {
			effects[i] += math.Log(m.off(&t))
		}
		effects[i] /= float64(len(j))
		total += effects[i]
		square += effects[i] * effects[i]
	}
	best, behind, behindSquare := 0.0, 0.0, 0.0
	for k := 1; k <= n-leastBefore && k <= n/2; k++ {
		e := effects[n-k]
		behind, behindSquare = behind+e, behindSquare+e*e
		if k < leastBehind {
			continue
		}
		a, b := float64(k), float64(n-k)
		before := total - behind
		inside := behindSquare - behind*behind/a + (square - behindSquare) - before*before/b
		d := behind/a - before/b
		deviation := math.Sqrt(max(inside, 1e-6)/float64(n-2)) * math.Sqrt(1/a+1/b)
		if strength := math.Abs(d) / deviation; strength > sure && strength > best && math.Abs(d) > math.Log(1.2) {
			best, jobs, ratio = strength, k, math.Exp(d)
		}
	}
	return jobs, ratio
}
