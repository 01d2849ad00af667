package profile

import (
	"math"
	"slices"
)

// How a model is fitted to a sample.
//
//	weight of a job      halves with every halfLife later ones; those before a jump count a thirty-second
//	weight of its tasks  together less than so many: what they share counts once (design effect)
//	line                 least soft absolute differences of logarithms, coefficients not below 0 (line.go);
//	                     three faint points of the model from which it borrows hold what the sizes leave open
//	shared, own          components of variance of what the line leaves, by jobs (one-way analysis of variance);
//	                     where no job has two tasks, both are powers of the distribution of all
//	distributions        what is left, with a fitted tail (tail.go), mixed with the shape of the model from
//	                     which it borrows, at the deviation that both together have
//
// The model from which it borrows is that of all classes of nodes, or of the nearest class, or the
// mean of all classes, or if there is none a wide lognormal.
const (
	halfLife = 128
	pastJump = 1. / 32
	// Part of the variance that tasks of a job are taken to share, where they are weighted.
	alike    = 0.5
	faint    = 0.1 // weight of each point that is borrowed
	borrowed = 4   // values for which the shape counts from which is borrowed
	vague    = 0.8 // deviation where nothing is known
	// How much faster than in proportion its upper quantiles rise with their score.
	skewed     = 0.12
	doubtful   = 4    // values below which a measured deviation may be far too small
	faintDoubt = 0.25 // variance of each point that is borrowed
)

// unknown is borrowed from where there is nothing to borrow from: lognormal, but for its upper tail,
// which rises faster.
func unknown() *Model {
	f := LogNormal(vague)
	for i := middleKnot + 1; i < factorKnots; i++ {
		f.Log[i] *= 1 + skewed*scoreOf(i)
	}
	f.Tail = min(vague*mills*(1+2*skewed*highest), heaviest)
	return &Model{Shared: f.scale(math.Sqrt(alike)), Own: f.scale(math.Sqrt(1 - alike)), Total: f}
}

// unsure is a deviation as it may well be, where so many values have shown it.
func unsure(deviation, values float64) float64 {
	return deviation * math.Sqrt(1+doubtful/(values+doubtful))
}

// fit makes the model of a sample. from is never nil.
func fit(s *Sample, beside float64, from *Model, tails *Rest) *Model {
	m := fitted(s, beside, from, tails, 0)
	if k, ratio := jumped(s, m); k > 0 {
		m = fitted(s, beside, from, tails, k)
		m.Jump = &Jump{k, math.Round(ratio*100) / 100}
	}
	return m
}

// Metered says that attempts drew so many times the joules that were gathered, as a meter has found after their jobs
// had ended. What was known before them was metered then.
func (c *Class) Metered(known *Class, times float64) {
	for i := range c.Samples {
		for _, job := range c.Samples[i].Jobs {
			for k := range job {
				if c.Samples[i].Part == Energy {
					job[k][2] *= times
				}
			}
		}
	}
	all := New(c.Name)
	if known != nil {
		all.Merge(known)
	}
	all.Merge(c)
	all.Models, all.Cold = nil, nil
	(&Peers{}).Fit(all)
	c.Adopt(slices.DeleteFunc(all.Models, func(m *Model) bool { return m.Part != Energy }))
	c.Scores = slices.DeleteFunc(c.Scores, func(s Score) bool { return s.Part == Energy }) // of joules before
}

// weights of the jobs of a sample, of which the last so many came behind a jump, if any did.
func weights(s *Sample, jump int) []float64 {
	w := make([]float64, len(s.Jobs))
	for i := range w {
		age := len(s.Jobs) - 1 - i
		w[i] = math.Exp2(-float64(age) / halfLife)
		if jump > 0 && age >= jump {
			w[i] *= pastJump
		}
	}
	return w
}

// fitted makes the model of a sample with a jump before its last jobs, or none.
func fitted(s *Sample, beside float64, from *Model, tails *Rest, jump int) *Model {
	m := &Model{Key: s.Key, Beside: beside}
	w := weights(s, jump)
	points, unit, used := pointsOf(s, beside, w)
	p := startOf(points, used)
	shape, level := shapeOf(from, unit, used), 0.0
	level = levelOf(points, &shape)
	real := len(points)
	points = borrow(points, shape, level)
	p = fitLine(points, p, used)

	residuals := make([]weighted, real)
	for i := range residuals {
		residuals[i] = weighted{points[i].y - math.Log(max(dot(&p, &points[i].x), least)), points[i].weight}
	}
	sorted := slices.Clone(residuals)
	sortWeighted(sorted)
	shift := middle(sorted)
	for i := range sorted {
		sorted[i].at -= shift
		residuals[i].at -= shift
	}
	for j := range p {
		p[j] *= math.Exp(shift)
	}
	v := components(s, w, residuals, from)
	m.Tasks, m.Jobs = round(v.tasks), round(v.jobs)
	m.Total = factorOf(sorted, v.values, spread(&from.Total, unsure(v.total, v.values)), borrowed).lengthened(&tails.total, v.values)
	own, shared := v.apart(s, w, residuals)
	if len(own) == 0 {
		// No job has two tasks, so nothing tells the factors apart; but their product is known.
		shared, own := m.Total.scale(math.Sqrt(v.part)), m.Total.scale(math.Sqrt(1-v.part))
		m.Shared, m.Own = shared.rounded(), own.rounded()
	} else {
		m.Own = factorOf(own, v.within, spread(&from.Own, unsure(v.own, v.within+1)), borrowed).lengthened(&tails.own, v.within)
		m.Shared = factorOf(shared, v.jobs, spread(&from.Shared, unsure(v.shared, v.jobs)), borrowed)
	}

	for i := real; i < len(points); i++ {
		points[i].weight = max(v.total*v.total, 1e-4) / faintDoubt
	}
	c := covariance(points, &p, used, max(v.total*v.total, 1e-4))
	m.Fixed, m.PerByte, m.PerRecord = max(0, p[0]-beside), p[1]/unit[1], p[2]/unit[2]
	for i, d := range [6]float64{1, unit[1], unit[2], unit[1] * unit[1], unit[1] * unit[2], unit[2] * unit[2]} {
		m.Covariance[i] = digits(c[i] / d)
	}
	m.Fixed, m.PerByte, m.PerRecord = digits(m.Fixed), digits(m.PerByte), digits(m.PerRecord)
	return m
}

// pointsOf are the tasks of a sample for the fit. Records are used if all are known, and if not all
// are of about one size.
func pointsOf(s *Sample, beside float64, w []float64) (points []point, unit [3]float64, used int) {
	n, of := 0.0, 0.0
	var sum, ratio, square float64
	known := true
	for _, j := range s.Jobs {
		for _, t := range j {
			n, unit[1] = n+1, unit[1]+t[0]
			unit[2] += max(0, t[1])
			known = known && t[1] >= 0
			if t[0] > 0 && t[1] > 0 {
				r := math.Log(t[1] / t[0])
				of, ratio, square = of+1, ratio+r, square+r*r
			}
		}
	}
	unit = [3]float64{1, unit[1] / n, unit[2] / n}
	if used = 3; !known || unit[2] < 1 || of < n/2 || square/of-(ratio/of)*(ratio/of) < 0.04 {
		used, unit[2] = 2, 1
	}
	if unit[1] < 1 { // tasks that read nothing
		used, unit[1] = 1, 1
	}
	for i, j := range s.Jobs {
		sum = w[i] / (1 + float64(len(j)-1)*alike)
		for _, t := range j {
			q := point{x: [3]float64{1, t[0] / unit[1]}, y: math.Log(max(t[2]+beside, least)), weight: sum}
			if used == 3 {
				q.x[2] = t[1] / unit[2]
			}
			points = append(points, q)
		}
	}
	return points, unit, used
}

// startOf is where the fit begins: at the median, in equal parts.
func startOf(points []point, used int) (p [3]float64) {
	one := [3]float64{1 / float64(used), 0, 0}
	for j := range used {
		one[j] = 1 / float64(used)
	}
	level := math.Exp(levelOf(points, &one))
	for j := range used {
		p[j] = level * one[j]
	}
	return p
}

// levelOf is the logarithm of how many times such a line the points cost.
func levelOf(points []point, line *[3]float64) float64 {
	ws := make([]weighted, len(points))
	for i := range points {
		ws[i] = weighted{points[i].y - math.Log(max(dot(line, &points[i].x), least)), points[i].weight}
	}
	sortWeighted(ws)
	return middle(ws)
}

// shapeOf is the line of the model from which is borrowed, in units of these sizes; where it has
// none, half of an average task is not for its bytes.
func shapeOf(from *Model, unit [3]float64, used int) (p [3]float64) {
	p = [3]float64{from.Beside + from.Fixed, from.PerByte * unit[1], from.PerRecord * unit[2]}
	if used == 2 && from.PerRecord > 0 { // the records that it knows come with bytes
		p[2] = 0
	}
	if used == 1 || p[0]+p[1]+p[2] <= 0 {
		p = [3]float64{0.5, 0.5}
	}
	for j := used; j < len(p); j++ {
		p[0], p[j] = p[0]+p[j], 0
	}
	return p
}

// borrow adds faint points of the line from which is borrowed, at the level of these: of no size,
// of the average one, and of one that is far larger than all.
func borrow(points []point, shape [3]float64, level float64) []point {
	largest := 1.0
	for i := range points {
		largest = max(largest, points[i].x[1])
	}
	for _, x := range []float64{0, 1, 8 * largest} {
		q := point{x: [3]float64{1, x, x}, weight: faint}
		q.y = level + math.Log(max(dot(&shape, &q.x), least))
		points = append(points, q)
	}
	return points
}

// spread is a factor with another deviation: drawn in, or widened by a lognormal factor. It is never
// drawn out, as its rare values would be carried away to where none was seen.
func spread(f *Factor, deviation float64) *Factor {
	s := LogNormal(deviation)
	switch d := f.deviation(); {
	case d > deviation:
		s = f.scale(deviation / d)
	case d > 0:
		s = f.Widen(math.Sqrt(deviation*deviation - d*d))
	}
	return &s
}

// digits rounds to nine digits: the last ones differ between processors.
func digits(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	scale := math.Pow(10, 8-math.Floor(math.Log10(math.Abs(x))))
	if math.IsInf(scale, 0) {
		return 0
	}
	return math.Round(x*scale) / scale
}

func round(x float64) float64 { return math.Round(x*10) / 10 }
