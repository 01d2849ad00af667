package scenario

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/units"
)

// Factors is a number above 0, or a range of such, such as 1.5..3.
type Factors struct{ From, To float64 }

// UnmarshalText reads a number or a range.
func (f *Factors) UnmarshalText(text []byte) (err error) {
	f.From, f.To, err = config.Range(string(text), func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })
	if err != nil || !(f.From > 0) || !(f.To >= f.From) || f.To > 1e6 {
		return fmt.Errorf("%s is not a range of factors; write a number, or the smaller factor first, such as 1.5..3", text)
	}
	return nil
}

// Form is how factors are written.
func (Factors) Form() config.Form {
	return config.Form{Wanted: "a number, such as 2, or a range, such as 1.5..3", Pattern: config.Number + `(\.\.` + config.Number + `)?`,
		Examples: []string{"2", "1.5..3"}, Bare: "number"}
}

// Counts is a number, or a range of numbers such as 10..50.
type Counts struct{ From, To int }

// UnmarshalText reads a number or a range.
func (c *Counts) UnmarshalText(text []byte) error {
	a, b, err := config.Range(string(text), strconv.Atoi)
	if err != nil || a < 0 || b < a || b > maxTasks {
		return fmt.Errorf("%s is not a number of tasks or a range; write a number up to %d, or the smaller one first, such as 10..50", text, maxTasks)
	}
	c.From, c.To = a, b
	return nil
}

// String prints it as it is written.
func (c Counts) String() string {
	if c.From == c.To {
		return strconv.Itoa(c.From)
	}
	return fmt.Sprintf("%d..%d", c.From, c.To)
}

// draw takes a number from the range, each as likely.
func (c Counts) draw(d draw.Draw) int { return c.From + d.Below(c.To-c.From+1) }

// Form is how counts are written.
func (Counts) Form() config.Form {
	return config.Form{Wanted: "a whole number, such as 10, or a range, such as 10..50", Pattern: `[0-9]+(\.\.[0-9]+)?`,
		Examples: []string{"10", "10..50"}, Bare: "integer"}
}

// Point is what a node draws, and at which load, if that is said.
type Point struct {
	Power config.Power
	Load  float64
	Said  bool
}

// UnmarshalText reads 90W, or 90W at 30%.
func (p *Point) UnmarshalText(text []byte) (err error) {
	power, at, said := strings.Cut(string(text), " at ")
	if p.Said = said; said {
		percent, is := strings.CutSuffix(strings.TrimSpace(at), "%")
		p.Load, err = strconv.ParseFloat(strings.TrimSpace(percent)+"e-2", 64)
		if err != nil || !is || !(p.Load >= 0 && p.Load <= 1) {
			return fmt.Errorf("%q is at no load; write a power, or one and a percentage up to 100%%, such as 90W at 30%%", text)
		}
	}
	return p.Power.UnmarshalText([]byte(power))
}

// Form is how points are written.
func (Point) Form() config.Form {
	return config.Form{Wanted: "a power, such as 90W, or one at some load, such as 90W at 30%", Pattern: `(0|` + config.Number + `\s*[kM]?W)(\s+at\s+` + config.Number + `\s*%)?`,
		Examples: []string{"90W", "90W at 30%"}}
}

// loadsOf are the loads of a curve, and whether they are said; else they are equal steps.
func loadsOf(curve []Point) (loads []float64, said bool) {
	for i, p := range curve {
		if said = said || p.Said; !p.Said {
			p.Load = float64(i) / float64(len(curve)-1)
		}
		loads = append(loads, p.Load)
	}
	return loads, said
}

// Moment is a deadline in a job file: a span after the submission, an absolute time, or a time of day,
// of a certain day if it is dated. The zero value is none.
type Moment struct {
	After units.Duration
	At    time.Time // zero: After or Clock counts
	Clock Clock
	Dated bool // the clock is that of a day:
	Days  int  // so many after that on which the run was meant to begin
}

// Set tells whether there is one.
func (m Moment) Set() bool { return m.After != 0 || !m.At.IsZero() || m.Clock.Set }

// String prints a time of day as it is written.
func (m Moment) String() string {
	if m.Dated {
		return [...]string{"yesterday ", "today ", "tomorrow "}[m.Days+1] + m.Clock.String()
	}
	return m.Clock.String()
}

// Clock is a time of day. The zero value is none.
type Clock struct {
	Hour, Minute, Second int
	Set                  bool
}

// ClockPattern is a regular expression for times of day.
const ClockPattern = `([01]?[0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?`

// parseClock reads a time of day, such as 18:00; like tells whether the text looks like one.
func parseClock(s string) (c Clock, like bool, err error) {
	parts := strings.Split(s, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return c, false, nil
	}
	var n [3]int
	for i, p := range parts {
		if n[i], err = strconv.Atoi(p); err != nil || len(p) > 2 || p[0] == '+' || p[0] == '-' {
			return c, false, nil
		}
	}
	if n[0] > 23 || n[1] > 59 || n[2] > 59 || len(parts[1]) < 2 || len(parts) > 2 && len(parts[2]) < 2 {
		return c, true, fmt.Errorf("%q is not a time of day; write hours and minutes, from 0:00 to 23:59, such as 18:00", s)
	}
	return Clock{n[0], n[1], n[2], true}, true, nil
}

// Next is the first instant after t at which clocks in t's zone show the time. One that is left out, as clocks
// are put forward, is as much later as they are.
func (c Clock) Next(t time.Time) time.Time {
	y, m, d := t.Date()
	for ; ; d++ {
		shown, _ := config.Shown(time.Date(y, m, d, c.Hour, c.Minute, c.Second, 0, time.UTC), t.Location())
		for _, at := range shown {
			if at.After(t) {
				return at
			}
		}
	}
}

// on is the time so many days after that of t, in t's zone.
func (c Clock) on(t time.Time, days int) time.Time {
	y, m, d := t.Date()
	shown, _ := config.Shown(time.Date(y, m, d+days, c.Hour, c.Minute, c.Second, 0, time.UTC), t.Location())
	return shown[0]
}

// odd says what is odd about the time on the day of an instant that Next gave: clocks do not show it, or twice.
func (c Clock) odd(at time.Time) string {
	y, m, d := at.Date()
	shown, ok := config.Shown(time.Date(y, m, d, c.Hour, c.Minute, c.Second, 0, time.UTC), at.Location())
	switch {
	case !ok:
		return fmt.Sprintf("%v, does not exist on %s in %v, as clocks are put forward: it is %s", c, at.Format(time.DateOnly), at.Location(), at.Format("15:04:05 MST"))
	case len(shown) > 1:
		return fmt.Sprintf("%v, exists twice on %s in %v, as clocks are put back: it is that of %s", c, at.Format(time.DateOnly), at.Location(), at.Format("MST"))
	}
	return ""
}

// String prints the time as it is written.
func (c Clock) String() string {
	if c.Second != 0 {
		return fmt.Sprintf("%d:%02d:%02d", c.Hour, c.Minute, c.Second)
	}
	return fmt.Sprintf("%d:%02d", c.Hour, c.Minute)
}

// What looks like a date, and like a span.
var (
	dated   = regexp.MustCompile(`^[0-9]{4}-[0-9]`)
	spanned = regexp.MustCompile(`^` + config.Duration + `$`)
)

// UnmarshalText reads a span, an RFC 3339 time or a time of day.
func (m *Moment) UnmarshalText(text []byte) (err error) {
	s := strings.TrimSpace(string(text))
	if c, like, err := parseClock(s); like {
		m.Clock = c
		return err
	}
	d, far := units.ParseDuration(s)
	if far == nil {
		if d <= 0 {
			return fmt.Errorf("%s is not after the submission; it must be above 0", s)
		}
		m.After = d
		return nil
	}
	at, err := config.ParseInstant(s)
	if err == nil {
		m.At = at
	}
	if !errors.Is(err, config.ErrNoInstant) && !errors.Is(err, config.ErrNoZone) {
		return err
	}
	if day, clock, ok := strings.Cut(s, " "); ok {
		if i := slices.Index(dayNames[:], day); i >= 0 {
			m.Clock, m.Dated, m.Days = Clock{}, true, i-1
			c, like, err := parseClock(strings.TrimSpace(clock))
			if m.Clock = c; like {
				return err
			}
		}
	}
	for _, layout := range localLayouts {
		if at, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			m.At = at
			return nil
		}
	}
	if _, err := time.Parse(time.DateOnly, s); err == nil {
		return fmt.Errorf("%q is a day without a time; write %sT06:00", s, s)
	}
	switch {
	case dated.MatchString(s):
		return fmt.Errorf("%q is a date or a time that does not exist; write year, month, day and time, such as 2030-01-31T18:00, or 2030-01-31T18:00:00+01:00 with its zone", s)
	case spanned.MatchString(s):
		return far
	}
	return fmt.Errorf("%q is neither a span after the submission, such as 60s or 10m, nor a time of day, such as 18:00 or tomorrow 06:00, nor a time, such as 2030-01-31T18:00, or 2030-01-31T18:00:00+01:00 with its zone", s)
}

// dayNames are days by the one on which a run was meant to begin.
var dayNames = [...]string{"yesterday", "today", "tomorrow"}

// localLayouts are times of this machine's zone.
var localLayouts = [...]string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"}

// ParseAsOf reads when a run was meant to begin: a time of day, which is the last one, a day, which
// begins at midnight, or a time.
func ParseAsOf(s string, now time.Time) (time.Time, error) {
	at, err := asOf(strings.TrimSpace(s), now)
	if err == nil && at.Year() < 1900 {
		return now, fmt.Errorf("%q lies before the year 1900; write when the run was meant to begin, such as 2030-01-31", s)
	}
	return at, err
}

func asOf(s string, now time.Time) (time.Time, error) {
	if at, err := time.ParseInLocation(time.DateOnly, s, time.Local); err == nil {
		return at, nil
	}
	if i := slices.Index(dayNames[:], s); i >= 0 {
		return Clock{}.on(now.Local(), i-1), nil
	}
	var m Moment
	err := m.UnmarshalText([]byte(s))
	switch {
	case err != nil || m.After != 0:
		return now, fmt.Errorf("%q is no time at which a run was meant to begin; write a time of day (01:00: the last one), a day (2030-01-31, yesterday), or a time (2030-01-31T01:00, yesterday 22:00)", s)
	case m.Dated:
		return m.Clock.on(now.Local(), m.Days), nil
	case m.Clock.Set:
		at := m.Clock.on(now.Local(), 0)
		if at.After(now) {
			at = m.Clock.on(now.Local(), -1)
		}
		return at, nil
	}
	return m.At, nil
}

// Form is how moments are written.
func (Moment) Form() config.Form {
	return config.Form{Wanted: "a span after the submission, such as 60s, a time of day, such as 18:00 or tomorrow 06:00, or a time, such as 2030-01-31T18:00, or 2030-01-31T18:00:00Z with its zone",
		Pattern:  config.Duration + `|((yesterday|today|tomorrow) +)?` + ClockPattern + `|` + config.DateTime + `|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2})?`,
		Examples: []string{"60s", "18:00", "tomorrow 06:00", "2030-01-31T18:00", "2030-01-31T18:00:00+01:00"}}
}

// Due is a deadline in a scenario: a time of the run, or with a plus sign a span after the job's
// arrival, or a time of day. The zero value is none.
type Due struct {
	Span        units.Duration
	FromArrival bool
	Clock       Clock // counts if it is set
	Set         bool
}

// Of returns the deadline of a job that arrives then, units.Never if there is none. A time of day
// is the next one after the arrival in a run whose time 0 is start.
func (d Due) Of(arrive units.Time, start time.Time) units.Time {
	switch {
	case !d.Set:
		return units.Never
	case d.Clock.Set:
		at := start.Add(time.Duration(arrive))
		return arrive.Add(units.Duration(d.Clock.Next(at).Sub(at)))
	case d.FromArrival:
		return arrive.Add(d.Span)
	}
	return units.Time(d.Span)
}

// UnmarshalText reads 10m, +10m or 18:00.
func (d *Due) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	if c, like, err := parseClock(s); like {
		d.Clock, d.Set = c, true
		return err
	}
	s, d.FromArrival = strings.CutPrefix(s, "+")
	span, err := units.ParseDuration(s)
	if err == nil && span <= 0 {
		err = fmt.Errorf("%s is not above 0", s)
	}
	d.Span, d.Set = span, true
	return err
}

// Form is how they are written.
func (Due) Form() config.Form {
	return config.Form{Wanted: "a time of the run, such as 10m, a span after the arrival, such as +10m, or a time of day, such as 18:00",
		Pattern: `\+?` + config.Duration + `|` + ClockPattern, Examples: []string{"10m", "+10m", "18:00"}}
}

// SeedRange is a seed, or a range of seeds such as 1..30.
type SeedRange struct{ From, To uint64 }

const maxSeeds = 100000

// UnmarshalText reads a seed or a range.
func (r *SeedRange) UnmarshalText(text []byte) (err error) {
	r.From, r.To, err = config.Range(string(text), func(s string) (uint64, error) { return strconv.ParseUint(s, 10, 64) })
	switch {
	case err != nil:
		return fmt.Errorf("%q is not a seed, it must be a whole number that is not negative, or a range such as 1..30", text)
	case r.To < r.From:
		return fmt.Errorf("%q runs backwards; write the smaller seed first, such as 1..30", text)
	case r.To-r.From >= maxSeeds:
		return fmt.Errorf("%q are too many seeds, at most %d are possible", text, maxSeeds)
	}
	return nil
}

// Form is how seeds are written.
func (SeedRange) Form() config.Form {
	return config.Form{Wanted: "a whole number that is not negative, or a range such as 1..30", Pattern: `[0-9]+(\.\.[0-9]+)?`,
		Examples: []string{"7", "1..30"}, Bare: "integer"}
}

// Seeds lists all seeds of some ranges, none twice. With an error it returns the place in the list of ranges.
func Seeds(ranges []SeedRange) (all []uint64, at int, err error) {
	seen := map[uint64]bool{}
	for i, r := range ranges {
		if r.To-r.From >= maxSeeds-uint64(len(all)) {
			return nil, i, fmt.Errorf("with those before it these are too many seeds, at most %d are possible", maxSeeds)
		}
		for n := range r.To - r.From + 1 {
			x := r.From + n
			if seen[x] {
				return nil, i, fmt.Errorf("the seed %d is given twice", x)
			}
			seen[x] = true
			all = append(all, x)
		}
	}
	return all, 0, nil
}

// ParseSeeds reads seeds as a command line gives them: 7, or 1..30, or several of these separated by commas.
func ParseSeeds(text string) ([]uint64, error) {
	var ranges []SeedRange
	for part := range strings.SplitSeq(text, ",") {
		var r SeedRange
		if err := r.UnmarshalText([]byte(part)); err != nil {
			return nil, err
		}
		ranges = append(ranges, r)
	}
	all, _, err := Seeds(ranges)
	return all, err
}
