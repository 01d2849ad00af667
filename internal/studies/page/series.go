package page

import "github.com/slackline/slackline/units"

// The series of a run.
const (
	mapHeld = iota
	mapOffered
	reduceHeld
	reduceOffered
	attemptsRunning
	mapsWaiting // tasks that have not started, of jobs that were not refused
	reducesWaiting
	jobsRunning // with an attempt
	jobsWaiting // without one
	seriesCount
)

// seriesNames are the keys of the series in the data block.
var seriesNames = [seriesCount]string{"mapHeld", "mapOffered", "reduceHeld", "reduceOffered", "running", "mapsWaiting", "reducesWaiting",
	"jobsRunning", "jobsWaiting"}

// series are numbers over time: in each bin the mean weighted by time. When time runs out of bins,
// their width doubles.
type series struct {
	most  int // bins
	width units.Duration
	now   [seriesCount]int64
	since units.Time
	sums  [][seriesCount]float64 // number × nanoseconds
}

func newSeries(most int) *series { return &series{most: most, width: units.Microsecond} }

// advance counts the numbers as they are until a time.
func (s *series) advance(until units.Time) {
	if until <= s.since {
		return
	}
	for (int64(until)-1)/int64(s.most) >= int64(s.width) {
		s.widen()
	}
	for s.since < until {
		i := int64(s.since) / int64(s.width)
		for int64(len(s.sums)) <= i {
			s.sums = append(s.sums, [seriesCount]float64{})
		}
		end := min(until, units.Time((i+1)*int64(s.width)))
		span := float64(end - s.since)
		to := &s.sums[i]
		for k, x := range s.now {
			to[k] += float64(x) * span
		}
		s.since = end
	}
}

// widen doubles the width of the bins.
func (s *series) widen() {
	s.width *= 2
	half := (len(s.sums) + 1) / 2
	for i := range half {
		sum := s.sums[2*i]
		if 2*i+1 < len(s.sums) {
			for k, x := range s.sums[2*i+1] {
				sum[k] += x
			}
		}
		s.sums[i] = sum
	}
	s.sums = s.sums[:half]
}

// means returns a series as means of its bins; the last bin ends where time does.
func (s *series) means(k int) []float64 {
	list := make([]float64, len(s.sums))
	for i := range s.sums {
		begin := units.Time(int64(i) * int64(s.width))
		list[i] = s.sums[i][k] / float64(min(s.since, begin.Add(s.width))-begin)
	}
	return list
}
