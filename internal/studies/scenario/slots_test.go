package scenario

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slackline/slackline/internal/maths/forecast"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A trace of slots becomes steps of speed or of nodes, of the supply, and forecasts that know no
// more than is known.
func TestSlots(t *testing.T) {
	at := func(d units.Duration) units.Time { return units.Time(0).Add(d) }
	capacity := func(d units.Duration, x float64) sim.SupplyStep {
		return sim.SupplyStep{At: at(d), Of: sched.Capacity, Amount: x}
	}
	files := map[string]string{"part.csv": "at,capacity\n0,1\n10m,0.5\n20m,0.4\n",
		"slots.csv": "at,slots\n0,6\n1h,3\n", "none.csv": "at,capacity\n5m,0\n"}

	s, err := readBeside(t, files, "slots: {file: part.csv, as: up, forecast: {by: persistence, horizon: 2}}")
	if err != nil {
		t.Fatal(err)
	}
	cfg := s.Sim(1)
	if d := cmp.Diff([]sim.SpeedStep{{At: 0, Factor: 1}, {At: at(10 * units.Minute), Factor: 0.5},
		{At: at(20 * units.Minute), Factor: 0.4}}, cfg.Speeds); d != "" || cfg.Sizes != nil {
		t.Error(d, cfg.Sizes)
	}
	if d := cmp.Diff([]sim.SupplyStep{capacity(0, 1), capacity(10*units.Minute, 0.5),
		capacity(20*units.Minute, 0.4)}, cfg.Supply); d != "" {
		t.Error(d)
	}
	if len(cfg.Expect) != 3 || len(s.Traces()) != 1 {
		t.Fatal(cfg.Expect, s.Traces())
	}
	// After the second row persistence expects that row. One step is no evidence for a band.
	told := cfg.Expect[1]
	if d := cmp.Diff([]float64{0.5, 0.5}, told.Forecast.Mid); d != "" || told.At != at(10*units.Minute) ||
		told.Of != sched.Capacity ||
		told.Forecast.Start != at(20*units.Minute) || told.Forecast.Interval != 10*units.Minute ||
		told.Forecast.Low != nil || told.Forecast.High != nil {
		t.Errorf("%+v %+v", told, told.Forecast)
	}

	// 2 nodes of 3 slots: half of the slots are one node.
	if s, err = readBeside(t, files, "slots: {file: slots.csv, as: out, crash: true, forecast: {by: perfect, horizon: 3}}"); err != nil {
		t.Fatal(err)
	}
	cfg = s.Sim(1)
	if d := cmp.Diff([]sim.SizeStep{{At: at(units.Hour), Nodes: 1, Crash: true}}, cfg.Sizes); d != "" ||
		cfg.Speeds != nil || cfg.Supply[1] != capacity(units.Hour, 0.5) {
		t.Error(d, cfg.Speeds, cfg.Supply)
	}
	if d := cmp.Diff([]float64{0.5, 0.5, 0.5}, cfg.Expect[0].Forecast.Mid); d != "" {
		t.Error(d)
	}
	if s, err = readBeside(t, files, "slots: {file: none.csv, as: out}"); err != nil ||
		len(s.Sim(1).Expect) != 0 || s.Sim(1).Sizes[0].Nodes != 0 {
		t.Error(err)
	}
}

// The forecast by arima of a row does not change with what comes behind it.
func TestSlotsForecastLooksBackOnly(t *testing.T) {
	var long, short []sim.SupplyStep
	for i := range 60 {
		row := sim.SupplyStep{At: units.Time(0).Add(units.Duration(i) * units.Minute), Of: sched.Capacity,
			Amount: float64(i*i%17) / 17}
		if long = append(long, row); i < 40 {
			short = append(short, row)
		}
	}
	f := SlotsForecast{By: "arima", Horizon: 3}
	a, b := f.told(&slotsTrace{rows: long}), f.told(&slotsTrace{rows: short})
	if d := cmp.Diff(a[:40], b); d != "" {
		t.Error(d)
	}
	for i, o := range a {
		if err := o.Forecast.Check(sched.Capacity); err != nil {
			t.Error(err)
		}
		// Row i is the one that judges the forecast of three rows ahead for the time i - 2.
		if banded := o.Forecast.Low != nil; banded != (i-2 >= forecast.Evidence) {
			t.Errorf("row %d has a band: %v", i, banded)
		}
	}
}

func TestSlotsThatCannotBe(t *testing.T) {
	slots := func(more string) string { return "slots: {file: f.csv, " + more + "}" }
	for _, c := range []struct{ cluster, file, want string }{
		{slots("as: down"), "", `s.yaml:2:62: as is "down", it must be "up" or "out"`},
		{"slots: {file: f.csv}", "", `s.yaml:2:44: the key "as" in slots is missing: up: `},
		{slots("as: up"), "", "s.yaml:2:51: f.csv: it is empty; its first line must name the columns, such as at,capacity"},
		{slots("as: up"), "at,capacity,slots\n0,1,1\n",
			"s.yaml:2:51: f.csv:1:13: a trace has one column after at: capacity, or slots"},
		{slots("as: up"), "at,capacity\n0,50%\n", `s.yaml:2:51: f.csv:2:3: "50%" is not a number; write the part of the cluster, from 0 to 1, such as 0.5`},
		{"slots: {file: g.csv, as: up}", "", "s.yaml:2:51: g.csv: there is no such file"},
		{slots("as: up"), "at,capacity\n0,1.5\n",
			"s.yaml:2:51: f.csv:2:3: capacity is 1.5, it must be at most 1, the whole cluster"},
		{slots("as: up"), "at,capacity\n0,\n",
			"s.yaml:2:51: f.csv:2:3: capacity is missing; leave the row out where it stays as it was"},
		{slots("as: up"), "at,capacity\n0,0\n",
			"s.yaml:2:51: f.csv:2:3: capacity is 0, but no node can have the speed 0; use as: out"},
		{slots("as: out"), "at,slots\n0,7\n", "s.yaml:2:51: f.csv:2:3: slots is 7, it must be at most 6, those of the cluster"},
		{slots("as: out"), "at,slots\n0,-1\n",
			`s.yaml:2:51: f.csv:2:3: "-1" is not a number of slots; it must be finite and not negative`},
		{slots("as: out"), "at,slots\n1m,1\n1m,2\n",
			"s.yaml:2:51: f.csv:3:1: 1m is not after the row before; rows must be in order of time, from 0"},
		{slots("as: out"), "at,slots\n", "s.yaml:2:51: f.csv: it has no row but its header"},
		{slots("as: out, forecast: {by: arima}"), "at,slots\n0,1\n",
			"s.yaml:2:51: f.csv: it has 1 row, a forecast needs at least two, which give its interval"},
		{slots("as: out, forecast: {by: arima}"), "at,slots\n0,1\n1m,1\n3m,2\n",
			"s.yaml:2:51: f.csv:4:1: the row is 2m after the one before, but the first two are 1m apart; a trace with a forecast has rows equally far apart"},
		{slots("as: out, forecast: {by: oracle}"), "at,slots\n0,1\n",
			`s.yaml:2:82: by is "oracle", it must be "arima", "persistence", "perfect" or "weather"`},
		{slots("as: out") + ", node_steps: [{at: 1s, nodes: 1}]", "at,slots\n0,1\n",
			"s.yaml:2:44: slots as out and node_steps contradict each other: give one of them"},
		{slots("as: up") + ", supply: [{at: 1s, capacity: 1}]", "at,slots\n0,1\n",
			"s.yaml:2:44: slots and a supply of capacity contradict each other: give one of them"},
		{slots("as: out") + ", map_slots: 0, reduce_slots: 0, memory: 4GB, vcores: 4", "at,slots\n0,1\n",
			"the nodes of this cluster have no slots; give a column capacity, from 0 to 1"},
	} {
		_, err := readBeside(t, map[string]string{"f.csv": c.file}, c.cluster)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: %v\nwant %s", c.cluster, c.file, err, c.want)
		}
	}
}

// Rows of a trace may stand in the scenario itself; they are then what a file with the same rows is.
func TestSlotsInRows(t *testing.T) {
	read := func(slots string) (*Scenario, error) {
		return Read("s.yaml", []byte("cluster: {nodes: 4, slots: "+slots+"}\nworkload: {jobs: [{id: j, class: c, maps: 1, map_time: 1s, reduces: 0}]}\n"))
	}
	s, err := read("{rows: [{at: 0s, capacity: 1}, {at: 10m, capacity: 0.5}, {at: 20m, capacity: 0.75}], as: out, forecast: {by: perfect, horizon: 2}}")
	if err != nil {
		t.Fatal(err)
	}
	c := s.Sim(1)
	if len(c.Supply) != 3 || c.Supply[1].Amount != 0.5 || len(c.Sizes) != 2 || c.Sizes[0].Nodes != 2 || len(c.Expect) != 3 || c.Expect[0].Forecast.Mid[1] != 0.75 {
		t.Errorf("%+v, %+v, %+v", c.Supply, c.Sizes, c.Expect)
	}
	for slots, want := range map[string]string{
		"{as: up}": "needs a file, rows or weather",
		"{file: a.csv, rows: [{at: 0s, capacity: 1}], as: up}":                                                           "one of them only",
		"{rows: [{at: 0s, capacity: 0}], as: up}":                                                                        "no node can have the speed 0",
		"{rows: [{at: 5s, capacity: 1}, {at: 5s, capacity: 1}], as: up}":                                                 "it must be after that of the row before",
		"{rows: [{at: 0s, capacity: 1}], as: up, forecast: {by: perfect}}":                                               "a forecast needs at least two",
		"{rows: [{at: 0s, capacity: 1}, {at: 1s, capacity: 1}, {at: 3s, capacity: 1}], as: up, forecast: {by: perfect}}": "not as far from the row before",
		"{rows: [{at: 0s, capacity: 2}], as: up}":                                                                        "capacity",
	} {
		if _, err := read(slots); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", slots, err, want)
		}
	}
}
