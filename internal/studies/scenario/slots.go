package scenario

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/maths/forecast"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Slots is a trace of what the cluster offers over time (paper 000, section 5.4).
type Slots struct {
	File     string        `json:"file" doc:"CSV file beside the scenario: a column at (10m, seconds, or with a start a time with a zone), and capacity, the part of the cluster from 0 to 1, or slots, their number; each row holds until the next"`
	Rows     []SlotsRow    `json:"rows" doc:"the same here, instead of a file"`
	Weather  SlotsWeather  `json:"weather" doc:"what green power leaves of the cluster, instead of a file"`
	As       string        `json:"as" need:"yes" enum:"up|out" doc:"up: the speed of all nodes follows it (scale-up); out: the number of nodes does (scale-out), rounded"`
	Crash    bool          `json:"crash" doc:"true: nodes that leave drop what they run; else they finish it first"`
	Forecast SlotsForecast `json:"forecast" doc:"what policies are told to expect of it; nothing if left out"`
}

// SlotsRow is one row of such a trace.
type SlotsRow struct {
	At       config.Span `json:"at" need:"yes" min:"0" doc:"from when on"`
	Capacity float64     `json:"capacity" need:"yes" min:"0" max:"1" doc:"part of the cluster"`
}

// SlotsForecast is what is expected of a trace of slots, told again with each row.
type SlotsForecast struct {
	By      string `json:"by" need:"yes" enum:"arima|persistence|perfect|weather" doc:"arima: an autoregression of the last three rows (paper 000); persistence: the last row; perfect: what will come; weather: what is foreseen of the weather"`
	Horizon int    `json:"horizon" min:"1" max:"1000" def:"3" doc:"how many rows ahead"`
}

// slots makes what a trace of slots says: steps of speed or of nodes, and of the supply, of which
// policies are told, with forecasts.
func (s *Scenario) slots(cfg *sim.Config) {
	d, k := s.src, &s.Cluster.Slots
	if !d.Has("cluster.slots") || len(d.Errs) > 0 {
		return
	}
	other := map[string]string{"up": "speed_steps", "out": "node_steps"}[k.As]
	if d.Has("cluster." + other) {
		d.Failf("cluster.slots", "slots as %s and %s contradict each other: give one of them", k.As, other)
		return
	}
	if slices.ContainsFunc(cfg.Supply, func(st sim.SupplyStep) bool { return st.Of == sched.Capacity }) {
		d.Failf("cluster.slots", "slots and a supply of capacity contradict each other: give one of them")
		return
	}
	expects, green := d.Has("cluster.slots.forecast"), d.Has("cluster.slots.weather")
	given := 0
	for _, is := range []bool{k.File != "", len(k.Rows) > 0, green} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		d.Failf("cluster.slots", "a trace of slots needs a file, rows or weather, and one of them only")
		return
	case green:
		s.green()
		return
	case k.Forecast.By == "weather":
		d.Failf("cluster.slots.forecast.by", "nothing is known of the weather behind this trace; give cluster.slots.weather in its place, or have it forecast by arima")
		return
	}
	rows, wrong := k.rows(expects)
	if wrong != "" {
		d.Failf(fmt.Sprintf("cluster.slots.rows[%d]", len(rows)), "%s", wrong)
		return
	}
	if k.File != "" {
		var err error
		whole := cfg.Cluster.Capacity()
		rows, err = readSlots(s.beside(k.File), s.Start.Time, float64(whole[units.MapSlots]+whole[units.ReduceSlots]), k.As == "up", expects)
		if err != nil {
			d.Failf("cluster.slots.file", "%v", err)
			return
		}
	}
	k.play(&slotsTrace{rows: rows}, cfg)
}

// slotsTrace is what a cluster offers over time, with what is known beside it.
type slotsTrace struct {
	rows     []sim.SupplyStep
	before   []float64 // capacity before the first row
	foreseen []float64 // what is foreseen of each row by weather
}

// play writes down what happens by a trace, and what is told of it.
func (k *Slots) play(t *slotsTrace, cfg *sim.Config) {
	nodes := len(cfg.Cluster.Own())
	cfg.Supply = append(slices.Clip(cfg.Supply), t.rows...)
	for _, row := range t.rows {
		if k.As == "up" {
			cfg.Speeds = append(cfg.Speeds, sim.SpeedStep{At: row.At, Factor: row.Amount})
		} else if n := int(math.Round(row.Amount * float64(len(cfg.Cluster.Own())))); n != nodes {
			nodes = n
			cfg.Sizes = append(cfg.Sizes, sim.SizeStep{At: row.At, Nodes: n, Crash: k.Crash})
		}
	}
	if k.Forecast.By != "" {
		cfg.Expect = append(slices.Clip(cfg.Expect), k.Forecast.told(t)...)
	}
}

// rows returns those of the scenario file itself, up to the first one with which something is wrong.
func (k *Slots) rows(even bool) (rows []sim.SupplyStep, wrong string) {
	for i, r := range k.Rows {
		at := units.Time(r.At.Duration())
		switch {
		case i > 0 && at <= rows[i-1].At:
			return rows, fmt.Sprintf("at is %v, it must be after that of the row before, %v", at, rows[i-1].At)
		case k.As == "up" && r.Capacity == 0:
			return rows, "capacity is 0, but no node can have the speed 0; use as: out"
		case even && i > 1 && at.Sub(rows[i-1].At) != rows[1].At.Sub(rows[0].At):
			return rows, "it is not as far from the row before as the first two are apart; a trace with a forecast has rows equally far apart"
		}
		rows = append(rows, sim.SupplyStep{At: at, Of: sched.Capacity, Amount: r.Capacity})
	}
	if even && len(rows) == 1 {
		return rows[:0], "there is one row, a forecast needs at least two, which give its interval"
	}
	return rows, ""
}

// ReadSlots reads a trace of what a cluster of so many slots offers over time: parts of it, from 0 to 1.
func ReadSlots(path string, total int) ([]sim.SupplyStep, error) {
	return readSlots(path, time.Time{}, float64(total), false, false)
}

// readSlots reads a trace of slots as steps of the capacity.
func readSlots(path string, start time.Time, total float64, speed, even bool) (rows []sim.SupplyStep, err error) {
	t, file, err := openTable(path, start, "capacity", "slots")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	t.gap = "leave the row out where it stays as it was"
	if len(t.cols) > 2 {
		return nil, t.Errorf(2, "a trace has one column after at: capacity, or slots")
	}
	for err = t.next(); err == nil; err = t.next() {
		of := 1.0
		if t.cols[1] == "slots" {
			if of = total; total == 0 {
				return nil, t.Errorf(1, "the nodes of this cluster have no slots; give a column capacity, from 0 to 1")
			}
		}
		x, there, err := t.part(of)
		switch n := len(rows); {
		case err != nil:
			return nil, err
		case !there:
			return nil, t.Errorf(1, "%s is missing; %s", t.cols[1], t.gap)
		case of > 1 && math.Abs(x*of-math.Round(x*of)) > 1e-9*of:
			return nil, t.Errorf(1, "%v is not a whole number of slots; give a column capacity, from 0 to 1", x*of)
		case speed && x == 0:
			return nil, t.Errorf(1, "%s is 0, but no node can have the speed 0; use as: out", t.cols[1])
		case even && n > 1 && t.at.Sub(rows[n-1].At) != rows[1].At.Sub(rows[0].At):
			return nil, t.Errorf(0, "the row is %v after the one before, but the first two are %v apart; a trace with a forecast has rows equally far apart",
				t.at.Sub(rows[n-1].At), rows[1].At.Sub(rows[0].At))
		}
		rows = append(rows, sim.SupplyStep{At: t.at, Of: sched.Capacity, Amount: x})
	}
	kept := begun(rows)
	if even && len(kept) > 0 && rows[len(rows)-len(kept)].At < 0 {
		return nil, fmt.Errorf("%s: the run starts between two rows; a trace with a forecast needs a row at its start", path)
	}
	rows = kept
	switch {
	case !errors.Is(err, io.EOF):
		return nil, err
	case len(rows) == 0:
		return nil, fmt.Errorf("%s: it has no row but its header", path)
	case even && len(rows) < 2:
		return nil, fmt.Errorf("%s: it has 1 row, a forecast needs at least two, which give its interval",
			path)
	}
	return rows, nil
}

// part is the field of a trace of slots as part of the cluster: the capacity itself, or so many of all slots.
func (t *table) part(of float64) (x float64, there bool, err error) {
	if t.cols[1] == "capacity" {
		return t.amount(1, sched.Capacity)
	}
	x, there, err = t.value(1, 0, of, files.Float, "write how many slots there are")
	switch {
	case !there:
		return 0, false, err
	case x < 0 || math.IsInf(x, 0):
		return 0, false, t.Errorf(1, "%q is not a number of slots; it must be finite and not negative", t.row[1])
	case x > of:
		return 0, false, t.Errorf(1, "slots is %v, it must be at most %v, those of the cluster", x, of)
	}
	return x / of, true, nil
}

// told makes the forecasts, each from what is known at its row.
func (f *SlotsForecast) told(t *slotsTrace) (all []sim.Outlook) {
	var by forecast.Forecaster = forecast.Default()
	if f.By == "persistence" {
		by = forecast.NewPersistence(144)
	}
	tracked := forecast.NewTracked(by, f.Horizon, 0, 1)
	for _, x := range t.before {
		tracked.Observe(x)
	}
	steps := make([]forecast.Step, f.Horizon)
	interval := t.rows[1].At.Sub(t.rows[0].At)
	for i, row := range t.rows {
		told := &sched.Forecast{Start: row.At.Add(interval), Interval: interval}
		tracked.Observe(row.Amount)
		tracked.Predict(steps)
		banded := f.By != "weather" // nothing is known of its errors
		for h, x := range steps {
			at := min(i+1+h, len(t.rows)-1)
			switch f.By {
			case "perfect":
				x = forecast.Normal(t.rows[at].Amount, 0)
			case "weather":
				x = forecast.Normal(t.foreseen[at], 0)
			default:
				banded = banded && x.Banded()
			}
			told.Mid, told.Low, told.High = append(told.Mid, x.Mid), append(told.Low, x.Low), append(told.High, x.High)
		}
		if !banded {
			told.Low, told.High = nil, nil
		}
		all = append(all, sim.Outlook{At: row.At, Of: sched.Capacity, Forecast: told})
	}
	return all
}
