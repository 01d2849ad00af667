package promise

import (
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/internal/policies/reserve"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A job is promised its deadline with a probability. Its
// finish is a distribution (package finish) around what is expected as things stand (forecast.go):
//
//	finish = expected finish + deviation of its own + what those before it are off
//
// The deviation has the law of the last of the job's tasks on the slots that are promised to it, and
// is found once, at the verdict. What those before it are off by is a normal time whose variance adds
// up along the queue. So the risk of each job that waits is asked for in a few dozen steps.
//
// A job is promised its deadline if the risk to miss it is no more than what its confidence leaves,
// and if nobody who waits behind it has to take more risk than the budget of that promise still
// has: finish.Budget says why. Jobs that have started are overtaken by nobody.

// odds are those of a job with a promise, as they were found at its verdict. They never change.
type odds struct {
	Most finish.Risk `json:"most"` // what its confidence leaves
	expects
	Deviation *finish.Dist `json:"deviation"` // of its finish from what is expected, in seconds
	Sure      float64      `json:"sure"`      // beyond this deviation there is no risk
}

// expects is what the tasks of a job take. Jobs of one class share it, as forecasts walk along thousands of them.
type expects struct {
	Map    *likelihood `json:"map"`
	Reduce *likelihood `json:"reduce"`
}

// A likelihood is what a task of a stage takes. It never changes.
type likelihood struct {
	Mean     units.Duration `json:"mean"`
	Variance float64        `json:"variance"` // that it has for itself, in seconds squared
	Shared   float64        `json:"shared"`   // that of the factor which all tasks of the stage share, whose mean is 1
	Residual residual       `json:"residual"`
}

// residual has, for ages in quarters of the mean, how much longer a task runs on the average that has
// run for so long.
type residual [33]units.Duration

// lawBits are the bits of a law: whether two are the same decides only whether jobs share a likelihood.
type lawBits [2 + 2*len(finish.Dist{})]uint64

func bitsOf(l *estimate.Law) (b lawBits) {
	for i, x := range slices.Concat([]float64{l.Typical, l.Wait}, l.Own[:], l.Shared[:]) {
		b[i] = math.Float64bits(x)
	}
	return b
}

// mostLikelihoods is how many are kept for others to share.
const mostLikelihoods = 256

// likelihood is that of a law.
func (s *scheduler) likelihood(l *estimate.Law) *likelihood {
	bits := bitsOf(l)
	k := s.sheets.likely[bits]
	if k == nil {
		if s.sheets.likely == nil || len(s.sheets.likely) == mostLikelihoods {
			s.sheets.likely = make(map[lawBits]*likelihood)
		}
		k = likelihoodOf(l)
		s.sheets.likely[bits] = k
	}
	return k
}

func likelihoodOf(l *estimate.Law) *likelihood {
	k := &likelihood{}
	if l.Typical <= 0 {
		return k
	}
	shared := l.Shared.Mean()
	scale := l.Typical * shared
	k.Mean = seconds(scale*l.Own.Mean() + l.Wait)
	k.Variance = scale * scale * l.Own.Variance()
	k.Shared = l.Shared.Variance() / (shared * shared)
	// In thousandths of the mean, as a mean beyond an age comes of differences, whose last digits are others where
	// products and sums are joined: by far more than units.Rounded makes equal.
	step := max(k.Mean/1024, 1)
	for i := range k.Residual {
		age := float64(i) / 4 * l.Own.Mean()
		left := seconds(scale * l.Own.Beyond(age))
		k.Residual[i] = max(left-left%step, 1)
	}
	return k
}

// seconds are a duration, up to the longest.
func seconds(s float64) units.Duration {
	if ns := math.Round(units.Rounded(s * 1e9)); ns < math.MaxInt64 {
		return units.Duration(max(0, ns))
	}
	return math.MaxInt64
}

// likely finds the odds of a job, but for its deviation. It is false if nothing is known of its class.
func (s *scheduler) likely(v sched.View, job *sched.Job, r *reserve.Record) (*odds, *estimate.Laws, bool) {
	l, known := estimate.Chances(v, job.Spec, s.failures.Class, s.Conf.Skew)
	if !known {
		if r.Sample.Longest == 0 {
			return nil, nil, false
		}
		l = s.guessLikely(job, &r.Sample)
	}
	o := &odds{Most: s.mostOf(job)}
	beat := v.World().Heartbeat.Seconds()
	l.Map.ServedEvery(beat)
	l.Reduce.ServedEvery(beat)
	o.Map, o.Reduce = s.likelihood(&l.Map), s.likelihood(&l.Reduce)
	return o, &l, true
}

// Of a sample only the longest map is known. How much longer others may take is guessed, and widely: the deviation of
// one is three quarters of its mean.
const (
	guessedOwn    = 0.6
	guessedShared = 0.3
)

// guessLikely is what the job's tasks take by a sample: what guess says is typical.
func (s *scheduler) guessLikely(job *sched.Job, m *reserve.Sample) (l estimate.Laws) {
	t := s.Guess(job, m)
	own, shared := finish.LogNormal(guessedOwn), finish.LogNormal(guessedShared)
	l.Map = estimate.Law{Typical: t.Map.Seconds(), Own: own, Shared: shared}
	l.Reduce = estimate.Law{Typical: t.Reduce.Seconds(), Own: own, Shared: shared}
	return l
}

// mostOf is the risk that the confidence of a job leaves: its own, or else that of its queue, or of the policy.
func (s *scheduler) mostOf(job *sched.Job) finish.Risk {
	if c := job.Spec.Confidence; c > 0 {
		return finish.RiskOf(1 - c)
	}
	if c := s.queues.Confidence(job.Spec.Queue); c > 0 {
		return finish.RiskOf(1 - c)
	}
	return s.most
}

// deviates finds by how much the job's finish deviates from what is expected: the law of its tasks on
// the slots as the forecast has them at its place, less what is expected there.
func (f *forecast) deviates(o *odds, l *estimate.Laws, c *reserve.Claim, fail *failures, beat units.Duration) (mapsEnd, expected units.Time) {
	from, had := max(f.now, c.Ready), units.Time(0)
	if c.Slot { // which its master has meanwhile
		had = f.maps.Take()
		from = max(from, had).Add(c.Startup)
	}
	begin := max(from, f.maps.First())
	j := finish.Job{Failures: fail.of(f.now, begin), Maps: f.tasks(&f.maps, c.Maps, &l.Map, begin)}
	if c.Slot {
		f.maps.Put(had)
	}
	mapsEnd, expected = f.ask(c, o)
	if c.Maps == 0 {
		begin = max(from, f.reduces.First())
		j.Reduces = f.tasks(&f.reduces, c.Reduces, &l.Reduce, begin)
	} else {
		j.Reduces = f.tasks(&f.reduces, c.Reduces, &l.Reduce, mapsEnd)
	}
	d := j.Finish()
	after := l.Map.Wait // nobody waits behind its last task
	if c.Reduces > 0 {
		after = l.Reduce.Wait
	}
	d = d.Shift(begin.Sub(expected).Seconds() + beat.Seconds() - after)
	o.Deviation, o.Sure = &d, d.Quantile(1-1e-7)
	return mapsEnd, expected
}

// tasks are n tasks on as many of the slots as they could get.
func (f *forecast) tasks(slots steps, n int, l *estimate.Law, from units.Time) finish.Tasks {
	t := finish.Tasks{N: n, Typical: l.Typical + l.Wait, Own: &l.Own, Shared: &l.Shared}
	mean := l.Shared.Mean() // what slots are late by grows with the factor
	left := n
	for at, has := range slots.Each {
		if left <= 0 {
			break
		}
		t.Slots = append(t.Slots, finish.Slots{At: max(0, at.Sub(from).Seconds()) / mean, N: min(has, left)})
		left -= has
	}
	return t
}
