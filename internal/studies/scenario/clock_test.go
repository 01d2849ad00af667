package scenario

import (
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// A time of day is the next one: later today, or tomorrow, also on days of 23 and 25 hours.
func TestNextTimeOfDay(t *testing.T) {
	berlin := time.FixedZone("CET", 3600)
	zones := map[string]*time.Location{"UTC": time.UTC, "CET": berlin}
	if l, err := time.LoadLocation("Europe/Berlin"); err == nil {
		zones["Berlin"] = l
	}
	for _, c := range []struct{ zone, now, clock, want string }{
		{"UTC", "2030-01-31T08:00:00Z", "18:00", "2030-01-31T18:00:00Z"},
		{"UTC", "2030-01-31T18:00:00Z", "18:00", "2030-02-01T18:00:00Z"},
		{"UTC", "2030-01-31T17:59:59Z", "18:00", "2030-01-31T18:00:00Z"},
		{"UTC", "2030-12-31T23:00:00Z", "0:30", "2031-01-01T00:30:00Z"},
		{"UTC", "2030-01-31T08:00:00Z", "8:00:30", "2030-01-31T08:00:30Z"},
		{"CET", "2030-01-31T17:30:00Z", "18:00", "2030-02-01T17:00:00Z"},    // it is 18:30 there
		{"Berlin", "2030-03-30T20:00:00Z", "6:00", "2030-03-31T04:00:00Z"},  // a night of an hour less
		{"Berlin", "2030-10-26T20:00:00Z", "6:00", "2030-10-27T05:00:00Z"},  // of an hour more
		{"Berlin", "2030-03-30T23:30:00Z", "2:30", "2030-03-31T01:30:00Z"},  // which clocks leave out
		{"Berlin", "2030-10-27T00:45:00Z", "23:00", "2030-10-27T22:00:00Z"}, // in the hour that comes twice
	} {
		zone := zones[c.zone]
		if zone == nil {
			continue // a system without zones
		}
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		clock, like, err := parseClock(c.clock)
		if !like || err != nil {
			t.Fatal(c.clock, like, err)
		}
		if got := clock.Next(now.In(zone)).UTC().Format(time.RFC3339); got != c.want {
			t.Errorf("%s after %s in %s is %s, want %s", c.clock, c.now, c.zone, got, c.want)
		}
	}
}

func TestTimesOfDayInFiles(t *testing.T) {
	const job = "app: wordcount\ninput: [x]\noutput: o\n"
	now := time.Date(2030, 1, 31, 17, 0, 0, 0, time.Local)
	for text, want := range map[string]units.Duration{"deadline: 18:00": units.Hour, "by: 18:00": units.Hour, "by: '18:00:30'": units.Hour + 30*units.Second, "by: 90s": 90 * units.Second,
		"by: 10:59": 17*units.Hour + 59*units.Minute, "by: 16:59\narrive: 24h": 47*units.Hour + 59*units.Minute, "by: today 17:01": units.Minute, "by: tomorrow 6:00": 13 * units.Hour,
		"by: 2030-02-01T06:00": 13 * units.Hour, "by: 2030-02-01 06:00:30": 13*units.Hour + 30*units.Second} {
		jobs, err := ReadJobs("j.yaml", []byte(job+text+"\n"))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		specs, err := Submit(jobs, now)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := specs[0].Deadline.Sub(0); got != want {
			t.Errorf("%s: %v after the start, want %v", text, got, want)
		}
		// Resolved once: a run that goes on next day counts from when it began.
		if hard, _, _ := jobs[0].Due(now.UTC()); hard != specs[0].Deadline {
			t.Errorf("%s: resumed it is %v", text, hard)
		}
	}
	for text, want := range map[string]string{
		"by: 24:00":                       `j.yaml:4:5: by: "24:00" is not a time of day; write hours and minutes, from 0:00 to 23:59, such as 18:00`,
		"deadline: '18:60'":               `"18:60" is not a time of day`,
		"deadline: 8:5":                   `is not a time of day`,
		"deadline: 18h00":                 `nor a time of day, such as 18:00`,
		"by: 18:00\ndeadline: 1h":         `j.yaml:4:5: by and deadline are the same; leave one of them out`,
		"by: 2030-01-01":                  `j.yaml:4:5: by: "2030-01-01" is a day without a time; write 2030-01-01T06:00`,
		"soft_deadline: 19:00\nby: 18:00": `the soft deadline, 2h after the submission, is after the deadline, 1h`,
	} {
		jobs, err := ReadJobs("j.yaml", []byte(job+text+"\n"))
		if err == nil {
			_, err = Submit(jobs, now)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", text, err, want)
		}
	}
}

// A run that was held up until after its deadline is late, and says so: a time of day that passed less than
// six hours ago is the one that is meant, unless the file, or --as-of, says the day.
func TestPassedDeadlines(t *testing.T) {
	const job = "app: wordcount\ninput: [x]\noutput: o\n"
	at := func(day, hour, minute int) time.Time { return time.Date(2030, 1, day, hour, minute, 0, 0, time.Local) }
	for _, c := range []struct {
		text        string
		asOf, now   time.Time
		want        time.Time
		late, cured bool
	}{
		{"by: 06:00", time.Time{}, at(31, 6, 30), at(31, 6, 0), true, true},
		{"by: 06:00", time.Time{}, at(31, 6, 0), at(31, 6, 0), true, true},
		{"by: 06:00", time.Time{}, at(31, 11, 59), at(31, 6, 0), true, true},
		{"by: 06:00", time.Time{}, at(31, 12, 1), at(32, 6, 0), false, false},
		{"by: 06:00", time.Time{}, at(30, 22, 0), at(31, 6, 0), false, false},
		{"by: 06:00", time.Time{}, at(31, 1, 0), at(31, 6, 0), false, false},
		{"by: 20:00", time.Time{}, at(31, 7, 0), at(31, 20, 0), false, false},
		{"by: 23:30", time.Time{}, at(31, 0, 30), at(30, 23, 30), true, true},
		{"by: tomorrow 06:00", time.Time{}, at(30, 6, 30), at(31, 6, 0), false, false},
		{"by: today 06:00", time.Time{}, at(30, 22, 0), at(30, 6, 0), true, false},
		{"by: 2030-01-30T06:00", time.Time{}, at(31, 6, 0), at(30, 6, 0), true, false},
		{"by: 06:00", at(29, 1, 0), at(31, 6, 30), at(29, 6, 0), true, true},
		{"by: 06:00", at(31, 5, 0), at(31, 23, 30), at(31, 6, 0), true, true},
		{"by: 06:00", at(30, 22, 0), at(30, 23, 30), at(31, 6, 0), false, false},
		{"by: 06:00\narrive: 2h", at(30, 22, 0), at(30, 23, 30), at(31, 6, 0), false, false},
		{"by: '{day}T06:00'", at(29, 1, 0), at(31, 0, 0), at(29, 6, 0), true, false},
		{"by: '{tomorrow} 06:00'", time.Time{}, at(30, 22, 0), at(31, 6, 0), false, false},
		{"by: 1h", at(29, 1, 0), at(31, 0, 0), at(31, 1, 0), false, false},
	} {
		jobs, err := (&Vars{AsOf: c.asOf, Now: c.now}).Read("j.yaml", []byte(job+c.text+"\n"))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		specs, err := Submit(jobs, c.now)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		spec := &specs[0]
		spec.Stages = []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 1)}}
		due := c.now.Add(time.Duration(spec.Deadline.Add(-spec.Overdue)))
		said := jobs[0].Overdue(c.now)
		if err := spec.Validate(); err != nil || !due.Equal(c.want) || (spec.Overdue > 0) != c.late || (said != "") != c.late || strings.Contains(said, "write by: tomorrow 6:00") != c.cured && !strings.Contains(said, "23:30") {
			t.Errorf("%s as of %v at %v: %v late %v, %q, %v", c.text, c.asOf, c.now, due, spec.Overdue, said, err)
		}
	}
}

func TestAsOf(t *testing.T) {
	now := time.Date(2030, 1, 31, 6, 30, 0, 0, time.Local)
	for text, want := range map[string]string{"01:00": "2030-01-31T01:00", "22:00": "2030-01-30T22:00", "yesterday": "2030-01-30T00:00", "yesterday 22:00": "2030-01-30T22:00", "2030-01-02": "2030-01-02T00:00",
		"2030-01-02T03:04": "2030-01-02T03:04", "10m": "", "": "", "13:61": ""} {
		got, err := ParseAsOf(text, now)
		if (err == nil) != (want != "") || err == nil && got.Format("2006-01-02T15:04") != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

func TestTimesOfDayInScenarios(t *testing.T) {
	const of = "cluster: {nodes: 1, map_slots: 1, reduce_slots: 0}\nworkload: {jobs: [{id: a, class: c, arrive: 30m, maps: 1, map_time: 1s, deadline: 18:00}]}\n"
	s, err := Read("s.yaml", []byte("start: 2030-01-31T17:00:00+01:00\n"+of))
	if err != nil {
		t.Fatal(err)
	}
	cfg := s.Sim(1)
	if got := cfg.Workload.Jobs[0].Deadline; got != units.Time(units.Hour) {
		t.Errorf("the deadline is at %v", got)
	}
	_, err = Read("s.yaml", []byte(of))
	if want := `s.yaml:2:83: 18:00 is a time of day, and the scenario does not say when it starts; add start:`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
