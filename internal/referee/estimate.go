package referee

import "math"

// What a journal says of a class of jobs.
type (
	measured struct {
		N    int64   `json:"n"`
		Mean float64 `json:"mean"`
		Max  float64 `json:"max"`
		Min  float64 `json:"min"`
	}
	stageProfile struct {
		Stage   string   `json:"stage"`
		Node    string   `json:"node"`
		Task    measured `json:"task"`
		PerByte measured `json:"per_byte"`
		Shuffle measured `json:"shuffle"`
		Start   measured `json:"start"`
		Fetch   measured `json:"fetch"`
	}
	profile struct {
		Name   string         `json:"name"`
		Ratio  measured       `json:"ratio"`
		Stages []stageProfile `json:"stages"`
		Models []costModel    `json:"models"`
	}
	costModel struct {
		Stage string `json:"stage"`
		Part  string `json:"part"`
		Own   varies `json:"own"`
	}
)

// varies is a factor of median 1: the logarithms of its quantiles at the normal scores -3, -2.5 … 4, straight between
// these, and a power of what is beyond the last.
type varies struct {
	Log  [15]float64 `json:"log"`
	Tail float64     `json:"tail"`
}

func below(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

func (f *varies) quantile(p float64) float64 {
	if p = min(p, 1-0x1p-53); 1-p < below(-4) {
		return math.Exp(f.Log[14] + f.Tail*math.Log(below(-4)/(1-p)))
	}
	z := -math.Sqrt2 * math.Erfcinv(2*p)
	if p > 0.5 {
		z = math.Sqrt2 * math.Erfcinv(2*(1-p))
	}
	i := min(13, int(max(0, math.Floor(2*(z+3)))))
	return math.Exp(f.Log[i] + (f.Log[i+1]-f.Log[i])*(2*(z+3)-float64(i)))
}

// mean adds up the lognormal pieces, and the power.
func (f *varies) mean() (sum float64) {
	for i := range 14 {
		from, to := float64(i)/2-3, float64(i)/2-2.5
		rise := 2 * (f.Log[i+1] - f.Log[i])
		at := f.Log[i] - rise*from
		if i == 0 {
			from = -9
		}
		sum += math.Exp(at+rise*rise/2) * (below(to-rise) - below(from-rise))
	}
	return sum + below(-4)*math.Exp(f.Log[14])/(1-f.Tail)
}

// with takes in what was measured on another class of nodes.
func (m measured) with(o measured) measured {
	if n := m.N + o.N; n > 0 {
		m.Mean += (o.Mean - m.Mean) * float64(o.N) / float64(n)
		m.N = n
	}
	m.Max = max(m.Max, o.Max)
	return m
}

// stage is what is known of a stage over all classes of nodes.
func (p *profile) stage(kind int) (sum stageProfile) {
	for _, s := range p.Stages {
		if s.Stage == stageNames[kind] {
			sum.Task, sum.PerByte, sum.Shuffle = sum.Task.with(s.Task), sum.PerByte.with(s.PerByte), sum.Shuffle.with(s.Shuffle)
			sum.Start, sum.Fetch = sum.Start.with(s.Start), sum.Fetch.with(s.Fetch)
		}
	}
	return sum
}

// times are what a job's tasks take (paper 003, section 5.2.1).
type times struct {
	oneMap, allMaps, oneReduce int64
	startup                    int64 // from the start of its master to the first task that it asks for
	known                      bool
}

func worst(m measured) float64 { return m.Max }
func mean(m measured) float64  { return m.Mean }

// timesOf estimates a job by its class: c_m times the largest input of a map; c_r times η times the
// job's input over its reduces times the skew. No task is shorter than the longest start seen;
// where no byte tells anything the longest task seen stands for the cost.
func (b *book) timesOf(j *job, skew float64, of func(measured) float64) (t times) {
	p := b.profiles[j.Class]
	if p == nil {
		return t
	}
	t.known = true
	input := int64(0)
	if j.stage[master] != nil {
		k := p.stage(master)
		t.known, t.startup = k.Start.N > 0, above(of(k.Start))
	}
	if s := j.stage[mapStage]; s != nil {
		k := p.stage(mapStage)
		t.known = t.known && k.Task.N > 0
		for _, task := range s.Tasks {
			input += task.Input
			one := mapTime(&k, task.Input, of)
			t.oneMap = max(t.oneMap, one)
			t.allMaps = plus(t.allMaps, one)
		}
	}
	if s := j.stage[reduceStage]; s != nil {
		k := p.stage(reduceStage)
		t.known = t.known && k.Task.N > 0
		share := of(p.Ratio) * float64(input) / float64(len(s.Tasks)) * max(skew, 1)
		if share == 0 || k.PerByte.N == 0 {
			t.oneReduce = above(of(k.Task) + of(k.Shuffle))
		} else {
			t.oneReduce = above(max((of(k.PerByte)+of(k.Fetch))*share, of(k.Start)))
		}
	}
	return t
}

func mapTime(k *stageProfile, input int64, of func(measured) float64) int64 {
	if input == 0 || k.PerByte.N == 0 {
		return above(of(k.Task))
	}
	return above(max(of(k.PerByte)*float64(input), of(k.Start)))
}

// plus adds two times that are not negative, up to the longest that there is.
func plus(a, b int64) int64 { return a + min(b, never-a) }

// above rounds seconds up to 32 bits and to whole nanoseconds, but for what only the arithmetic has added: less
// than a 2^-42 part.
func above(seconds float64) int64 { return upwards(seconds * 1e9) }

func upwards(ns float64) int64 {
	part, power := math.Frexp(ns)
	if ns := math.Ceil(math.Ldexp(math.Ceil(part*(1<<32)-part/1024), power-32)); ns < never {
		return int64(ns)
	}
	return never
}
