package scenario

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// supplies are the kinds of supply by the keys and columns that speak of them.
var supplies = []struct {
	key string
	of  sched.SupplyKind
}{{"green", sched.GreenPower}, {"price", sched.Price}, {"carbon", sched.Carbon}, {"capacity", sched.Capacity}}

// mostRows bounds what a file of supplies or forecasts may have.
const mostRows = 1_000_000

// supply makes the supplies and the forecasts.
func (s *Scenario) supply(cfg *sim.Config) {
	d, k := s.src, &s.Cluster
	for i, st := range k.Supply {
		at := fmt.Sprintf("cluster.supply[%d]", i)
		given := map[string]*float64{"green": (*float64)(st.Green), "price": st.Price, "carbon": st.Carbon, "capacity": st.Capacity}
		some := false
		for _, kind := range supplies {
			if amount := given[kind.key]; amount != nil {
				some = true
				cfg.Supply = append(cfg.Supply, sim.SupplyStep{At: units.Time(st.At), Of: kind.of, Amount: *amount})
			}
		}
		if !some {
			d.Failf(at, "a step needs a kind of supply; give green, price, carbon or capacity, such as {at: 1h, green: 4kW}")
		}
	}
	if k.SupplyFile != "" {
		steps, err := readSupply(s.beside(k.SupplyFile), s.Start.Time)
		if err != nil {
			d.Failf("cluster.supply_file", "%v", err)
		}
		cfg.Supply = append(cfg.Supply, steps...)
	}
	for i, f := range k.Forecasts {
		at, read := fmt.Sprintf("cluster.forecasts[%d]", i), &sched.Forecast{Start: units.Time(f.At), Interval: f.Every.Duration(), Mid: f.Mid}
		err := read.Check(kindOfSupply(f.Of))
		switch {
		case (f.File == "") == (f.Mid == nil):
			err = errors.New("a forecast is told by a file or by mid; give one of them")
		case f.File != "":
			at += ".file"
			read, err = readForecast(s.beside(f.File), s.Start.Time, kindOfSupply(f.Of))
		}
		if err != nil {
			d.Failf(at, "%v", err)
			continue
		}
		cfg.Expect = append(cfg.Expect, sim.Outlook{At: units.Time(f.At), Of: kindOfSupply(f.Of), Forecast: read})
	}
}

func kindOfSupply(key string) sched.SupplyKind {
	for _, kind := range supplies {
		if kind.key == key {
			return kind.of
		}
	}
	return sched.NoSupply
}

// supplyFiles are the files that supplies and forecasts come from.
func (s *Scenario) supplyFiles() (files []string) {
	some := []string{s.Cluster.SupplyFile}
	for _, f := range s.Cluster.Forecasts {
		some = append(some, f.File)
	}
	for _, file := range append(some, s.Cluster.Slots.File, s.Cluster.Slots.Weather.File) {
		if file != "" {
			files = append(files, s.beside(file))
		}
	}
	return files
}

// table reads a CSV file with a line of column names, of which the first is at: in the order of
// time, each row later than the one before. Errors name file, line and column.
type table struct {
	*files.Table
	start time.Time // of the run; zero: it has none
	cols  []string
	row   []string
	gap   string     // what is to be done where a value is missing
	at    units.Time // negative where a row with a time of day lies before the start
	rows  int
}

func openTable(path string, start time.Time, columns ...string) (*table, io.Closer, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, nil, err
	}
	t := &table{Table: files.NewTable(path, f), start: start, gap: "leave its field empty, and what held before goes on"}
	if err := t.header(path, columns); err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return t, f, nil
}

// header reads the names of the columns.
func (t *table) header(path string, columns []string) error {
	if _, err := t.Next(); errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: it is empty; its first line must name the columns, such as at,%s", path, columns[0])
	} else if err != nil {
		return err
	}
	t.cols = t.Heading()
	if err := t.Separated(); err != nil {
		return err
	}
	for i, c := range t.cols {
		if i == 0 && c != "at" || i > 0 && (!slices.Contains(columns, c) || slices.Contains(t.cols[:i], c)) {
			return t.Errorf(i, "unexpected column %q; the first must be at, followed by any of %s, each once%s", c, strings.Join(columns, ", "), meant(c, append(columns, "at")))
		}
	}
	if len(t.cols) < 2 {
		return t.Errorf(0, "there is no column but at; add any of %s", strings.Join(columns, ", "))
	}
	return nil
}

// meant is the end of the sentence about a column that is mistyped; nothing of one that is known, but stands wrong.
func meant(column string, columns []string) string {
	if slices.Contains(columns, column) {
		return ""
	}
	return spelling.Meant(column, columns)
}

// next reads a row.
func (t *table) next() (err error) {
	if t.row, err = t.Next(); err != nil {
		return err
	}
	if t.rows++; t.rows > mostRows {
		return t.Errorf(0, "the file has more than %d rows", mostRows)
	}
	at, err := t.time(t.row[0])
	switch {
	case err != nil:
		return t.Errorf(0, "%v", err)
	case t.rows > 1 && at <= t.at:
		return t.Errorf(0, "%s is not after the row before; rows must be in order of time, from 0", t.row[0])
	}
	t.at = at
	return nil
}

// time reads a time of the run: a span, seconds, or a time with a zone, which counts from the start.
func (t *table) time(text string) (units.Time, error) {
	if at, err := spanOrSeconds(text); err == nil && at >= 0 {
		if at > 30*366*24*units.Hour {
			return 0, fmt.Errorf("%q is more than 30 years from the start; write seconds from the start, or a time with a zone", text)
		}
		return units.Time(at), nil
	}
	at, err := config.ParseInstant(text)
	zone := t.start.Location().String()
	if errors.Is(err, config.ErrNoZone) && strings.Contains(zone, "/") { // as clocks show it where the run starts
		at, err = config.ParseInstant(text + " " + zone)
	}
	switch {
	case errors.Is(err, config.ErrNoInstant):
		return 0, fmt.Errorf("%q is not a time of the run; write a span with a unit, such as 10m, or a number of seconds", text)
	case err != nil:
		return 0, err
	case t.start.IsZero():
		return 0, fmt.Errorf("%q is a time with a zone, and nothing says when the run starts; write a span from its start, such as 10m, or give a scenario its start, such as start: %s",
			text, at.Format(time.RFC3339))
	case math.Abs(at.Sub(t.start).Hours()) > 24*365*100:
		return 0, fmt.Errorf("%q is more than a hundred years from the start, %s", text, t.start.Format(time.RFC3339))
	}
	return units.Time(at.Sub(t.start)), nil
}

// begun leaves of what was before the start of a run what holds at it, of each kind.
func begun(steps []sim.SupplyStep) []sim.SupplyStep {
	var held, later []sim.SupplyStep
	for _, st := range steps {
		if st.At > 0 {
			later = append(later, st)
			continue
		}
		held = slices.DeleteFunc(held, func(old sim.SupplyStep) bool { return old.Of == st.Of })
		st.At = 0
		held = append(held, st)
	}
	return append(held, later...)
}

func spanOrSeconds(text string) (units.Duration, error) {
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		if !(x >= 0) || x > units.Time(units.Never).Seconds()/2 {
			return 0, fmt.Errorf("%v is outside of all runs", x)
		}
		return units.FromSeconds(x), nil
	}
	return units.ParseDuration(text)
}

// likely is from where to where amounts of a kind are likely: within it no number stands for a missing value. Markets
// let prices of a megawatt hour go as far; no power is too much.
func likely(of sched.SupplyKind) (low, high float64) {
	switch of {
	case sched.Price:
		return -500, 5000
	case sched.Carbon:
		return 0, 5000
	case sched.Capacity:
		return 0, 1
	}
	return 0, math.Inf(1)
}

// amount reads a field of the row; power may have its unit, and is in watts without. There is none
// where it is missing.
func (t *table) amount(col int, of sched.SupplyKind) (x float64, there bool, err error) {
	read, right := files.Float, "leave the field empty where a value is missing"
	switch of {
	case sched.Capacity:
		right = "write the part of the cluster, from 0 to 1, such as 0.5"
	case sched.GreenPower:
		read = func(text string) (x float64, err error) {
			if x, err = files.Float(text); err != nil {
				var p config.Power
				err, x = p.UnmarshalText([]byte(text)), float64(p)
			}
			return x, err
		}
	}
	low, high := likely(of)
	x, there, err = t.value(col, low, high, read, right)
	if !there {
		return 0, false, err
	}
	if err := of.Check(x); err != nil {
		return 0, false, t.Errorf(col, "%v", err)
	}
	return x, true, nil
}

// value is a field of the row, if it is there. A number that stands for none is refused: in a trace of
// prices it could be one.
func (t *table) value(col int, low, high float64, read func(string) (float64, error), right string) (x float64, there bool, err error) {
	x, by, err := t.Number(col, low, high, read, right)
	if by != "" {
		err = t.Errorf(col, "%s stands for a missing value (%s); %s", t.row[col], by, t.gap)
	}
	return x, err == nil && !math.IsNaN(x), err
}

// readSupply reads steps of supplies: a column at, and one for each kind. A field that is empty, or
// says by a word that its value is missing, leaves its kind as it is.
func readSupply(path string, start time.Time) (steps []sim.SupplyStep, err error) {
	var columns []string
	for _, kind := range supplies {
		columns = append(columns, kind.key)
	}
	t, file, err := openTable(path, start, columns...)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for err = t.next(); err == nil; err = t.next() {
		for col := 1; col < len(t.cols); col++ {
			of := kindOfSupply(t.cols[col])
			x, there, err := t.amount(col, of)
			if err != nil {
				return nil, err
			}
			if there {
				steps = append(steps, sim.SupplyStep{At: t.at, Of: of, Amount: x})
			}
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if t.rows == 0 {
		return nil, fmt.Errorf("%s: it has no row but its header", path)
	}
	return begun(steps), nil
}

// noGaps is why no value of a forecast may be missing.
const noGaps = "a forecast has no gaps"

// readForecast reads what is expected of a supply: columns at and mid, and low and high for a band.
// The rows are equally far apart, and each holds until the next.
func readForecast(path string, start time.Time, of sched.SupplyKind) (*sched.Forecast, error) {
	t, file, err := openTable(path, start, "mid", "low", "high")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	t.gap = noGaps
	low, high := slices.Index(t.cols, "low"), slices.Index(t.cols, "high")
	switch {
	case !slices.Contains(t.cols, "mid"):
		return nil, t.Errorf(0, "there is no column mid; a forecast needs it")
	case low >= 0 && high < 0:
		return nil, t.Errorf(low, "there is a column low but no high; a band needs both")
	case high >= 0 && low < 0:
		return nil, t.Errorf(high, "there is a column high but no low; a band needs both")
	}
	f := &sched.Forecast{}
	lists := map[string]*[]float64{"mid": &f.Mid, "low": &f.Low, "high": &f.High}
	var last units.Time
	for err = t.next(); err == nil; err = t.next() {
		switch step := t.at.Sub(last); {
		case t.rows == 1:
			f.Start = t.at
		case t.rows == 2:
			f.Interval = step
		case step != f.Interval:
			return nil, t.Errorf(0, "the row is %v after the one before, but the first two are %v apart; rows of a forecast must be equally far apart", step, f.Interval)
		}
		last = t.at
		for col := 1; col < len(t.cols); col++ {
			x, there, err := t.amount(col, of)
			if err != nil {
				return nil, err
			}
			if !there {
				return nil, t.Errorf(col, "%s is missing; %s", t.cols[col], noGaps)
			}
			*lists[t.cols[col]] = append(*lists[t.cols[col]], x)
		}
		if i := len(f.Mid) - 1; i >= 0 && len(f.Low) == len(f.Mid) && len(f.High) == len(f.Mid) && (f.Low[i] > f.Mid[i] || f.Mid[i] > f.High[i]) {
			return nil, t.Errorf(1, "mid is %v, outside of its band from %v to %v", f.Mid[i], f.Low[i], f.High[i])
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if t.rows < 2 {
		has := [...]string{"no rows", "1 row"}[t.rows]
		return nil, fmt.Errorf("%s: it has %s, a forecast needs at least two, which give its interval", path, has)
	}
	if err := f.Check(of); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if f.Start < 0 { // intervals that have ended as the run starts tell nothing
		over := min(int(-f.Start/units.Time(f.Interval)), len(f.Mid)-1)
		f.Start += units.Time(over) * units.Time(f.Interval)
		for _, list := range lists {
			*list = (*list)[min(over, len(*list)):]
		}
	}
	return f, nil
}
