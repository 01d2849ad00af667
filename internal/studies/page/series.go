package page

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

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
	power       // that nodes draw, in watts
	brown       // of it, that no green power covers

	supplied // of each kind of supply, how much there is, in thousandths
	held     = supplied + int(sched.Supplies)
	// attempts that run of each class, queue and user
	seriesCount = held + groupings*mostGroups
)

// What attempts are told apart by: the first groups that come, and the last for all others.
const (
	groupings  = 3
	mostGroups = 16
	mostTold   = 6 // that the page shows, besides the others
)

var groupingNames = [groupings]string{"class", "queue", "user"}

// seriesNames are the keys of the series in the data block; those of supplies and groups are made of their names.
var seriesNames = [supplied]string{"mapHeld", "mapOffered", "reduceHeld", "reduceOffered", "running", "mapsWaiting", "reducesWaiting",
	"jobsRunning", "jobsWaiting", "power", "brown"}

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

type seriesData struct {
	Width float64             `json:"width"`
	By    map[string][]string `json:"by,omitempty"` // the groups of which there are some: attempts that run of each
	Max   map[string]int64    `json:"max"`          // what stepCount stands for
	Data  map[string]column   `json:"data"`
}

// stepCount is how finely numbers of a series are told apart.
const stepCount = 10000

func (d *data) series(s *series, groups *[groupings][]string, says func(queue string) string) *seriesData {
	out := &seriesData{Width: float64(s.width) / float64(d.Unit), Max: map[string]int64{}, Data: map[string]column{}, By: map[string][]string{}}
	for k, name := range seriesNames {
		out.add(name, s.means(k))
	}
	for k := range sched.Supplies {
		out.add("supply "+k.String(), s.means(supplied+int(k)))
	}
	for k, grouping := range groupingNames {
		if len(groups[k]) < 2 {
			continue
		}
		type group struct {
			name  string
			means []float64
			total float64
		}
		var list []group
		for i, name := range append(slices.Clone(groups[k]), "others") {
			shown := cmp.Or(clip(name), "none")
			if grouping == "queue" && says != nil {
				if of := says(name); of != "" {
					shown += " (" + of + ")"
				}
			}
			g := group{name: shown, means: s.means(held + k*mostGroups + min(i, mostGroups-1))}
			for _, x := range g.means {
				g.total += x
			}
			list = append(list, g)
		}
		last := len(list) - 1 // the others, also if there are none
		slices.SortStableFunc(list[:last], func(a, b group) int { return cmp.Compare(b.total, a.total) })
		for _, g := range list[min(mostTold, last):last] {
			for i, x := range g.means {
				list[last].means[i] += x
			}
		}
		for _, g := range append(list[:min(mostTold, last):min(mostTold, last)], list[last]) {
			key := grouping + " " + strconv.Itoa(len(out.By[grouping]))
			if out.add(key, g.means); out.Max[key] > 0 {
				out.By[grouping] = append(out.By[grouping], g.name)
			}
		}
	}
	return out
}

// add writes a series of means, if they are not all 0.
func (s *seriesData) add(name string, means []float64) {
	top := int64(math.Ceil(max(0, slices.Max(append(means, 0)))))
	if top == 0 {
		return
	}
	var c column
	before := int64(0)
	for _, x := range means {
		step := int64(math.Round(max(0, x) / float64(top) * stepCount))
		c.signed(step - before)
		before = step
	}
	s.Max[name], s.Data[name] = top, c
}
