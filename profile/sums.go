package profile

// Sums are two quantities added up over the same tasks or jobs: the bytes that they read, and what
// came of those, in seconds or bytes. Their quotient weighs each by its size, so that tiny ones,
// most of whose time is not for their bytes, do not outweigh large ones.
type Sums struct {
	N       int64   `json:"n"`
	Bytes   float64 `json:"bytes"`
	Amount  float64 `json:"amount"`
	Largest float64 `json:"largest"` // most bytes of one
}

// Add takes in one task or job.
func (s *Sums) Add(bytes, amount float64) {
	s.Merge(Sums{1, bytes, amount, bytes})
}

// Merge takes in other sums of the same quantities.
func (s *Sums) Merge(o Sums) {
	s.N += o.N
	s.Bytes += o.Bytes
	s.Amount += o.Amount
	s.Largest = max(s.Largest, o.Largest)
}

func (s *Sums) wrong() (what, why string) {
	switch {
	case s.N < 0 || s.N > 1<<53:
		return "n", "it is negative, or more than can be counted"
	case s.N == 0 && *s != Sums{}:
		return "n", "it is 0, but there is a value"
	case s.N > 0 && !(s.Bytes > 0):
		return "bytes", "it is not above 0, but there are values"
	case s.Amount < 0:
		return "amount", "it is negative, which no time or size can be"
	case s.N > 0 && !(s.Largest > 0 && s.Largest <= s.Bytes):
		return "largest", "it is not above 0, or more than the sum"
	}
	return "", ""
}

// Some of an attempt's time is neither start nor for its bytes: to open files, to warm up. Among
// few bytes it cannot be told from what they cost, so a task that is far larger than all that were
// seen takes for the rest of its bytes what these took had each read so much more.
const (
	farther = 8
	blur    = 64 << 10
)

// Slope is the seconds that a byte adds to an attempt; 0 where none is known.
func (s *Stage) Slope() float64 {
	w := s.Work
	if w.N == 0 {
		return 0
	}
	return s.moving(w) / w.Bytes
}

// moving is the time of all attempts that read something, less their starts and commits.
func (s *Stage) moving(w Sums) float64 {
	return max(0, w.Amount-float64(w.N)*s.Start.Mean)
}

// Expect is the seconds of an attempt that reads so many bytes: its start and commit, and a time
// for each byte.
func (s *Stage) Expect(bytes float64) float64 {
	w := s.Work
	if bytes <= 0 || w.N == 0 {
		return s.Task.Mean
	}
	near := min(bytes, farther*w.Largest)
	return s.Start.Mean + s.moving(w)*(near/w.Bytes+(bytes-near)/(w.Bytes+blur*float64(w.N)))
}

// Between is how many intermediate bytes a job makes of those that it reads, weighted by what jobs
// read. Headers and separators outweigh tiny inputs; what is far larger than all that were seen
// makes for the rest no more than it reads.
func (c *Class) Between(read float64) float64 {
	if c.Emitted.N == 0 {
		return c.Ratio.Mean * read
	}
	ratio := c.Emitted.Amount / c.Emitted.Bytes
	near := min(read, max(blur, farther*c.Emitted.Largest))
	return ratio*near + min(1, ratio)*(read-near)
}
