package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// startsAt reads a scenario with such a start and cluster, and a file of supplies or forecasts beside it.
func startsAt(t *testing.T, start, cluster, file string) (*Scenario, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f.csv"), []byte(file), 0o666); err != nil {
		t.Fatal(err)
	}
	return Read(filepath.Join(dir, "s.yaml"), []byte(start+"\ncluster: {nodes: 2, "+cluster+"}\nworkload: {jobs: [{id: a, maps: 1, map_time: 1s}]}\n"))
}

// Times with a zone count from the start of the run. What held before it holds at it.
func TestSuppliesByTheClock(t *testing.T) {
	const prices = "at,price,green\n2026-03-28T23:00:00+01:00,0.5,1kW\n2026-03-29 00:00:00+01:00,0.1,\n2026-03-29T01:00:00Z,-0.05,\n2026-03-29T04:00:00+02:00,0.2,0\n"
	at := func(d units.Duration) units.Time { return units.Time(0).Add(d) }
	// The night on which clocks are put forward: 2:00 UTC+1 is 3:00 UTC+2, and 4:00 is three hours after midnight.
	want := []sim.SupplyStep{{Of: sched.GreenPower, Amount: 1000}, {Of: sched.Price, Amount: 0.1}, {At: at(90 * units.Minute), Of: sched.Price, Amount: -0.05},
		{At: at(150 * units.Minute), Of: sched.Price, Amount: 0.2}, {At: at(150 * units.Minute), Of: sched.GreenPower, Amount: 0}}
	for _, start := range []string{"start: 2026-03-29T00:30:00+01:00", "start: 2026-03-29T00:30 Europe/Berlin", "start: 2026-03-28T23:30:00Z"} {
		s, err := startsAt(t, start, "supply_file: f.csv", prices)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, s.Sim(1).Supply); d != "" {
			t.Error(start, d)
		}
	}
	// Where the start has a zone by name, times without one are those of its clocks.
	s, err := startsAt(t, "start: 2026-03-29T00:00 Europe/Berlin", "forecasts: [{of: price, file: f.csv}]", "at,mid\n2026-03-29 01:00,1\n2026-03-29 03:00,2\n2026-03-29 04:00,-3\n")
	if err != nil {
		t.Fatal(err)
	}
	if f := s.Sim(1).Expect[0].Forecast; f.Start != at(units.Hour) || f.Interval != units.Hour || f.Mid[2] != -3 {
		t.Errorf("%+v", f)
	}
	// Of a forecast intervals that have ended are left out.
	s, err = startsAt(t, "start: 2026-03-29T02:30:00Z", "forecasts: [{of: price, file: f.csv}]", "at,mid\n2026-03-29T00:00Z,1\n2026-03-29T01:00Z,2\n2026-03-29T02:00Z,3\n2026-03-29T03:00Z,4\n")
	if err != nil {
		t.Fatal(err)
	}
	if f := s.Sim(1).Expect[0].Forecast; f.Start != at(-30*units.Minute) || !cmp.Equal(f.Mid, []float64{3, 4}) {
		t.Errorf("%+v", f)
	}
	s, err = startsAt(t, "start: 2026-03-29T00:00:00Z", "slots: {file: f.csv, as: up}", "at,capacity\n2026-03-28T00:00Z,0.5\n2026-03-29T01:00Z,1\n")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]sim.SpeedStep{{Factor: 0.5}, {At: at(units.Hour), Factor: 1}}, s.Sim(1).Speeds); d != "" {
		t.Error(d)
	}
	for _, c := range []struct{ start, cluster, file, want string }{
		{"", "supply_file: f.csv", "at,price\n1774742400,1\n", `f.csv:2:1: "1774742400" is more than 30 years from the start; write seconds from the start, or a time with a zone`},
		{"", "supply_file: f.csv", "at,price\n2026-03-29T00:00:00+01:00,1\n", `f.csv:2:1: "2026-03-29T00:00:00+01:00" is a time with a zone, and nothing says when the run starts; write a span from its start, such as 10m, or give a scenario its start, such as start: 2026-03-29T00:00:00+01:00`},
		{"start: 2026-03-29T00:00 Europe/Berlin", "supply_file: f.csv", "at,price\n2026-03-29 02:30,1\n", `"2026-03-29 02:30 Europe/Berlin" does not exist in Europe/Berlin: clocks are put forward then; write 2026-03-29T03:30:00 Europe/Berlin`},
		{"start: 2026-10-25T00:00 Europe/Berlin", "supply_file: f.csv", "at,price\n2026-10-25 02:30,1\n", "exists twice in Europe/Berlin: clocks are put back then; write 2026-10-25T02:30:00+02:00 Europe/Berlin or 2026-10-25T02:30:00+01:00 Europe/Berlin"},
		{"start: 2026-10-25T00:00Z", "supply_file: f.csv", "at,price\n1026-10-25 02:30Z,1\n", "more than a hundred years from the start"},
		{"start: 2026-10-25T00:30Z", "slots: {file: f.csv, as: up, forecast: {by: arima}}", "at,capacity\n2026-10-25T00:00Z,1\n2026-10-25T01:00Z,1\n2026-10-25T02:00Z,1\n", "the run starts between two rows; a trace with a forecast needs a row at its start"},
		{"start: 2026-03-29T02:30 Europe/Berlin", "", "", "s.yaml:1:8: start: \"2026-03-29T02:30 Europe/Berlin\" does not exist in Europe/Berlin: clocks are put forward then; write 2026-03-29T03:30:00 Europe/Berlin"},
		{"start: 2026-10-25T02:30 Europe/Berlin", "", "", "exists twice"},
		{"start: 2026-10-25T02:30+03:00 Europe/Berlin", "", "", "the offset in Europe/Berlin is +02:00 then; leave one of them out"},
		{"start: 2026-10-25T02:30 Europe/Berlim", "", "", `there is no zone "Europe/Berlim"`},
		{"start: 2026-10-25T02:30", "", "", `"2026-10-25T02:30" has no time zone; write 2026-10-25T02:30:00Z, or an offset or a zone by name, such as 2026-10-25T02:30:00+01:00 or 2026-10-25T02:30:00 Europe/Berlin`},
	} {
		if _, err := startsAt(t, c.start, c.cluster, c.file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %q: %v\nwant %s", c.start, c.file, err, c.want)
		}
	}
}

// Deadlines by the clock follow a zone that is named: 6:00 after clocks are put forward is five hours after midnight.
func TestDeadlinesByNamedZones(t *testing.T) {
	for start, want := range map[string]units.Duration{"2026-03-29T00:00 Europe/Berlin": 5 * units.Hour, "2026-10-25T00:00 Europe/Berlin": 7 * units.Hour,
		"2026-03-29T00:00:00+01:00": 6 * units.Hour, "2026-03-08T00:00 America/New_York": 5 * units.Hour} {
		var at config.Instant
		if err := at.UnmarshalText([]byte(start)); err != nil {
			t.Fatal(err)
		}
		var due Due
		if err := due.UnmarshalText([]byte("6:00")); err != nil {
			t.Fatal(err)
		}
		if got := due.Of(0, at.Time); got != units.Time(0).Add(want) {
			t.Errorf("%s: %v, want %v", start, got, want)
		}
	}
}

// A deadline at a time that clocks do not show, or twice, is told with what is meant.
func TestOddDeadlines(t *testing.T) {
	for start, want := range map[string]string{
		"2026-03-29T00:00 Europe/Berlin": `job "a": its deadline, 2:30, does not exist on 2026-03-29 in Europe/Berlin, as clocks are put forward: it is 03:30:00 CEST`,
		"2026-10-25T00:00 Europe/Berlin": `job "a": its deadline, 2:30, exists twice on 2026-10-25 in Europe/Berlin, as clocks are put back: it is that of CEST`,
		"2026-10-24T00:00 Europe/Berlin": "", "2026-03-29T00:00:00+01:00": "",
	} {
		s, err := Read("s.yaml", []byte("start: "+start+"\ncluster: {nodes: 1}\nworkload: {jobs: [{id: a, maps: 1, map_time: 1s, deadline: \"2:30\"}]}\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.Notes(), "; "); got != want {
			t.Errorf("%s: %q, want %q", start, got, want)
		}
	}
}

// The next time of day is the first instant after another at which clocks show it, twice where they are put back;
// where they are put forward over it, it is as much later. All instants of two years are looked at.
func TestNextClock(t *testing.T) {
	zones := []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC", "Asia/Tokyo", "America/St_Johns"}
	rapid.Check(t, func(t *rapid.T) {
		zone, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		// Near the changes of 2026 too, which are seldom hit by chance.
		near := rapid.SampledFrom([]string{"2026-03-29T00:00:00Z", "2026-10-25T00:00:00Z", "2026-03-08T05:00:00Z", "2026-11-01T04:00:00Z", "2026-04-04T14:00:00Z", "2026-10-03T14:00:00Z"}).Draw(t, "near")
		from, _ := time.Parse(time.RFC3339, near)
		from = from.Add(time.Duration(rapid.IntRange(-3000, 3000).Draw(t, "minutes")) * time.Minute).In(zone)
		c := Clock{Hour: rapid.IntRange(0, 23).Draw(t, "hour"), Minute: rapid.SampledFrom([]int{0, 15, 30}).Draw(t, "minute"), Set: true}
		got := c.Next(from)
		for at := from.Add(time.Minute); ; at = at.Add(time.Minute) {
			if at.Hour() == c.Hour && at.Minute() == c.Minute {
				if !got.Equal(at) && got.After(at) {
					t.Fatalf("%v after %v is %v, want %v", c, from, got, at)
				}
				if got.Equal(at) {
					return
				}
			}
			if got.Equal(at) { // put forward over it: there is no such time on that day
				y, m, d := at.Date()
				for x := time.Date(y, m, d, 0, 0, 0, 0, zone); x.Day() == d; x = x.Add(time.Minute) {
					if x.Hour() == c.Hour && x.Minute() == c.Minute {
						t.Fatalf("%v after %v is %v, but %v shows it", c, from, got, x)
					}
				}
				return
			}
			if at.Sub(from) > 49*time.Hour {
				t.Fatalf("%v after %v is %v", c, from, got)
			}
		}
	})
}
