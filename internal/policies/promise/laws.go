package promise

import (
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A law is what a task of a stage takes, as the class's cost models have it. It never changes, and jobs share it.
type law struct {
	Mean     float64  `json:"mean"`           // seconds, with those that its slot stays empty behind it
	Wait     float64  `json:"wait,omitempty"` // these
	Few      float64  `json:"few,omitempty"`  // one over how many jobs it rests on, and the next
	Variance float64  `json:"variance"`       // that a task has for itself, in parts of the mean squared
	Shared   float64  `json:"shared"`         // that of the factor which all tasks of the stage share, whose mean is 1
	Most     float64  `json:"most"`           // in parts of the mean, what one task in a thousand exceeds
	Residual residual `json:"residual"`
	Unknown  int      `json:"unknown,omitempty"` // from that age on no task is known that took longer; 0 = from none
}

// residual has, for ages in quarters of the mean, in means, how much longer a task runs that has run for so long: one
// in ten of such tasks, three, five, seven and nine.
type residual [33][tenths]float64

const tenths = 5

// laws are those of a job's maps and reduces.
type laws [2]*law

// lawBits are the bits of a law: whether two are the same decides only whether jobs share one.
type lawBits [3 + 2*len(finish.Dist{})]uint64

func bitsOf(l *estimate.Law) (b lawBits) {
	for i, x := range slices.Concat([]float64{l.Typical, l.Wait, l.Jobs}, l.Own[:], l.Shared[:]) {
		b[i] = math.Float64bits(x)
	}
	return b
}

// mostLaws is how many are kept for others to share.
const mostLaws = 256

// law is that of an estimate, which may be a guess.
func (s *scheduler) law(l *estimate.Law, guess bool) *law {
	bits := bitsOf(l)
	k := s.known[bits]
	if k == nil {
		if s.known == nil || len(s.known) == mostLaws {
			s.known = make(map[lawBits]*law)
		}
		k = lawOf(l, guess)
		s.known[bits] = k
	}
	return k
}

// Before any job of a class has ended one in ten is taken to be like none of its class, and after n of them one in
// ten times n + 1: such a task may take anything from the mean on (finish.Outlived). What has run for so long that it
// is rather one of these than one of those that are known has outlived all that is known.
const (
	unlike   = 0.1
	leastFew = 1e-4
)

// lawOf takes the mean of the factor that tasks share, or, of a guess, its median: the mean of so wide a guess
// would be several times of what is likely, for all who wait behind the job.
func lawOf(l *estimate.Law, guess bool) *law {
	k := &law{Few: units.Rounded(1 / (l.Jobs + 1))}
	shared, far := l.Shared.Mean(), 1.0 // far: of the jobs of a guess one in a hundred is farther off
	if guess {
		shared, far = l.Shared.Quantile(0.5), l.Shared.Quantile(0.99)/max(l.Shared.Quantile(0.5), 1e-9)
	}
	scale := l.Typical * shared
	if units.Rounded(scale) <= 0 {
		return k
	}
	k.Mean, k.Wait = units.Rounded(scale*l.Own.Mean()+l.Wait), units.Rounded(l.Wait)
	k.Most = units.Rounded(far * scale * l.Own.Quantile(0.999) / k.Mean)
	k.Variance = units.Rounded(scale * scale * l.Own.Variance() / (k.Mean * k.Mean))
	k.Shared = units.Rounded(l.Shared.Variance() / (shared * shared))
	for i := range k.Residual {
		age := float64(i) / 4 * l.Own.Mean()
		over := l.Own.Above(age, 0)
		for q := range k.Residual[i] {
			p := 0.1 + 0.2*float64(q)
			left := finish.Outlived(age, p)
			few := max(leastFew, unlike/(l.Jobs+1)/max(1, float64(i)/4))
			if units.Rounded(over) > units.Rounded(few) {
				left = l.Own.Quantile(1-over*(1-p)) - age
			} else if k.Unknown == 0 {
				k.Unknown = i
			}
			// In thousandths, as differences' last digits are others where products and sums are joined.
			k.Residual[i][q] = max(math.Floor(units.Rounded(left*scale/k.Mean)*1024), 1) / 1024
		}
	}
	return k
}

// left is how much longer a task runs that has run for so many quarters of the mean and a part of the next: linear
// between these, as far as it is one of those that are known.
func (l *law) left(quarters int, part float64, tenth int) float64 {
	is := l.Residual[quarters][tenth]
	switch {
	case l.Unknown > 0 && quarters+1 == l.Unknown:
		return max(1./1024, units.Rounded(is-part/4))
	case quarters+1 < len(l.Residual):
		return units.Rounded(is + float64(part*(l.Residual[quarters+1][tenth]-is)))
	}
	return is
}

// aged is what the tasks of a job take of which none has ended, and n run for so long, in seconds, by half of all such
// jobs, and with the chances far. They share a factor, as if lognormal, that is as large as that says, less what each
// varies by itself, or the job is like none of its class. The first is 0, as the age says nothing that the law does not
// say, while one in six would run for longer: laws of young classes are wide.
func (l *law) aged(seconds float64, n int, guess bool) (half float64, strays [2]float64) {
	age, own := seconds/max(l.Mean, 1e-9), l.Variance/float64(max(1, n))
	of, middle := math.Log1p(l.Shared+own), 0.0
	if guess { // of which the mean is the median
		of = math.Log((1 + math.Sqrt(1+4*(l.Shared+own))) / 2)
	} else {
		middle = -of / 2
	}
	deviation := math.Sqrt(of)
	z := (math.Log(max(age, 1e-9)) - middle) / max(deviation, 1e-9)
	over := finish.Chance(-z)
	takes := func(p float64) float64 {
		is := middle + float64(deviation*finish.Score(1-over*(1-p)))
		if units.Rounded(over) <= units.Rounded(max(leastFew, unlike*l.Few/max(1, age))) {
			is = math.Log(age / (1 - p))
		}
		return units.Rounded(l.Mean * math.Exp(middle+float64((is-middle)*l.Shared/max(l.Shared+own, 1e-9))))
	}
	if units.Rounded(over) <= 1./6 {
		half = takes(0.5)
	}
	for i, p := range far {
		strays[i] = takes(p)
	}
	return half, strays
}

// Of a job whose class nobody knows, the first tasks say nearly all: the logarithm of the factor that its tasks
// share has this deviation before other jobs have said how far tasks of different jobs are from each other, and
// counts as so many of them; each task's own factor has the other.
const (
	strangeShared = 1.5
	strangeJobs   = 10
	strangeOwn    = 0.6
	strangeTask   = 30 // seconds, before any task has ended
)

// strange is the law of a task of which nothing is known but what tasks of all jobs take.
// A reduce is held against what the job's maps take, for each of its reduces.
func (s *scheduler) strange(job *sched.Job, k int) estimate.Law {
	at, n := s.any[k].mean(math.Log(strangeTask)*float64(1-k)), s.any[k].N
	deviation := max(strangeShared, math.Sqrt((n*s.any[k].spread()+strangeJobs*strangeShared*strangeShared)/(n+strangeJobs)))
	if k == 1 {
		at += s.mapWork(job)
	}
	return estimate.Law{Typical: units.Rounded(math.Exp(at)), Own: finish.LogNormal(strangeOwn), Shared: finish.LogNormal(units.Rounded(deviation))}
}

// Where jobs of a class differ from what its models say by more than these allow, the models say little of the
// next job: what share of its maps' output goes to reduces, say, is no matter of bytes. So many jobs tell that, by
// twice the variance of their models and so much more. A task's logarithm is at most so far from what was said: a
// task of no time tells nothing more.
const (
	doubtJobs   = 10
	doubtSpread = 0.25
	doubtFar    = 5
)

// doubts has a law go by what the last jobs of the class took, in parts of what its models said, in place of what
// these say of a job alone. It tells whether it does.
func (m *lately) doubts(l *estimate.Law) bool {
	own, shared := logVariance(&l.Own), logVariance(&l.Shared)
	if m.N < doubtJobs || l.Typical <= 0 || units.Rounded(m.spread()) <= units.Rounded(2*(own+shared)+doubtSpread) {
		return false
	}
	l.Typical = units.Rounded(l.Typical * math.Exp(m.Is))
	l.Shared = finish.LogNormal(units.Rounded(math.Sqrt(max(m.spread()-own, doubtSpread))))
	return true
}

// bound has a law say no less than if nothing were known of the class: models of one or two jobs, or for sizes far
// from those that were measured, would have one job in a hundred take months.
func bound(l *estimate.Law) {
	widest := finish.LogNormal(strangeShared)
	if units.Rounded(l.Shared.Quantile(0.99)) > units.Rounded(l.Shared.Quantile(0.5)*widest.Quantile(0.99)) {
		widen(l)
	}
}

// widen has a law say of the factor that a job's tasks share no more than its middle.
func widen(l *estimate.Law) {
	l.Typical, l.Shared = units.Rounded(l.Typical*l.Shared.Quantile(0.5)), finish.LogNormal(strangeShared)
}

// akin guesses the laws of a job of which nothing is known by what the last class of its family is known for: jobs of
// one application with other parameters. It tells whether there is one.
func (s *scheduler) akin(v sched.View, job *sched.Job, l *estimate.Laws) bool {
	class := s.kin[profile.Family(job.Spec.Class)]
	if class == "" || class == job.Spec.Class {
		return false
	}
	spec := *job.Spec
	spec.Class = class
	is, known := estimate.Chances(v, &spec, s.failures.Class, 1)
	if known {
		widen(&is.Map)
		widen(&is.Reduce)
		is.Map.Jobs, is.Reduce.Jobs = 0, 0
		*l = is
	}
	return known
}

// narrow has a guess go by the job's own tasks that have ended: what they say of the factor that all its tasks share is
// weighed against what the guess says of it, as if both were lognormal.
func (r *record) narrow(l *estimate.Law, k int) {
	if r.Own[k].N == 0 || r.Laws[k] == nil {
		return
	}
	own, shared := logVariance(&l.Own)/r.Own[k].N, logVariance(&l.Shared)
	part := shared / max(own+shared, 1e-9)
	took := float64(r.Own[k].Sum/r.Own[k].N*r.Laws[k].Mean) - l.Wait
	guessed := l.Typical * l.Own.Mean() * l.Shared.Quantile(0.5)
	l.Typical = units.Rounded(l.Typical * l.Shared.Quantile(0.5) * math.Exp(part*math.Log(max(took, 1e-3)/max(guessed, 1e-3))))
	l.Shared = finish.LogNormal(units.Rounded(math.Sqrt(shared * (1 - part))))
}

// logVariance is that of the logarithm of a factor, by the quantiles around its middle.
func logVariance(d *finish.Dist) float64 {
	deviation := math.Log(max(d.Quantile(0.84), 1e-9)/max(d.Quantile(0.16), 1e-9)) / 2
	return deviation * deviation
}

// mapWork is the logarithm of what the job's maps take for each of its reduces, in seconds: of one map, where a job
// has none of either.
func (s *scheduler) mapWork(job *sched.Job) float64 {
	work := math.Exp(s.any[0].mean(math.Log(strangeTask)))
	maps, reduces := job.Stages[sched.Map].Total, job.Stages[sched.Reduce].Total
	if r := s.of(job); r != nil && r.Laws[0] != nil && maps > 0 {
		work = s.task(r, 0)
	}
	return math.Log(max(work, 1e-3) * float64(max(1, maps)) / float64(max(1, reduces)))
}

// estimates are the laws of a job as its class is known now, and whether it is.
func (s *scheduler) estimates(v sched.View, job *sched.Job) (l estimate.Laws, known bool) {
	if s.Wakes {
		l, known = estimate.Everywhere(v, job.Spec)
	} else {
		l, known = estimate.Chances(v, job.Spec, s.failures.Class, 1)
	}
	switch master := l.Master; {
	case known:
		bound(&l.Map)
		bound(&l.Reduce)
	case s.akin(v, job, &l):
	default:
		l = estimate.Laws{Map: s.strange(job, 0), Reduce: s.strange(job, 1), Master: master}
	}
	beat := v.World().Served().Seconds()
	l.Map.ServedEvery(beat)
	l.Reduce.ServedEvery(beat)
	return l, known
}

// A lately is a mean, and one of the squares, that forget: what came last counts most.
type lately struct {
	N      float64 `json:"n"`
	Is     float64 `json:"is"`
	Square float64 `json:"square"`
}

// add counts a value.
func (m *lately) add(x, weight, most float64) {
	m.N = min(m.N+weight, most)
	part := min(1, weight/m.N)
	m.Is = units.Rounded(m.Is + (x-m.Is)*part)
	m.Square = units.Rounded(m.Square + (float64(x*x)-m.Square)*part)
}

// spread is the variance of what was counted.
func (m *lately) spread() float64 { return max(0, m.Square-float64(m.Is*m.Is)) }

// mean is the mean, or that before the first value.
func (m *lately) mean(before float64) float64 {
	if m.N == 0 {
		return before
	}
	return m.Is
}

// towards is the mean as it is, had so much been counted at 1 before.
func (m *lately) towards(before float64) float64 { return (before + m.N*m.Is) / (before + m.N) }
