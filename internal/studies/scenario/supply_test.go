package scenario

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// readBeside reads a scenario with this cluster, in a folder with these files.
func readBeside(t *testing.T, files map[string]string, cluster string) (*Scenario, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Read(filepath.Join(dir, "s.yaml"), []byte("start: 2030-01-31T18:00:00+01:00\ncluster: {nodes: 2, idle_power: 5W, "+cluster+"}\nworkload: {jobs: [{id: a, maps: 1, map_time: 0s}]}\n"))
	if err != nil {
		return nil, shorter{err, dir + string(filepath.Separator)}
	}
	return s, nil
}

// shorter is an error without the folder.
type shorter struct {
	error
	dir string
}

func (s shorter) Error() string { return strings.ReplaceAll(s.error.Error(), s.dir, "") }

// Steps come from the scenario and from a file, forecasts from files; the clock has an origin.
func TestSupply(t *testing.T) {
	s, err := readBeside(t, map[string]string{
		"supply.csv": "# measured\nat,capacity,green\n90,0.5,\n2m, ,1.5kW\n",
		"green.csv":  "at,low,mid,high\n0,1,2,3\n1h,2,2W,2\n",
		"price.csv":  "at,mid\n10m,0.3\n20m,0.2\n"},
		"supply: [{at: 0s, green: 1kW, price: 0.25}, {at: 1m, capacity: 0.9}], supply_file: supply.csv, forecasts: [{of: green, file: green.csv}, {of: price, file: price.csv, at: 5m}]")
	if err != nil {
		t.Fatal(err)
	}
	at := func(d units.Duration) units.Time { return units.Time(0).Add(d) }
	cfg := s.Sim(1)
	if d := cmp.Diff([]sim.SupplyStep{{Of: sched.GreenPower, Amount: 1000}, {Of: sched.Price, Amount: 0.25}, {At: at(units.Minute), Of: sched.Capacity, Amount: 0.9},
		{At: at(90 * units.Second), Of: sched.Capacity, Amount: 0.5}, {At: at(2 * units.Minute), Of: sched.GreenPower, Amount: 1500}}, cfg.Supply); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]sim.Outlook{{Of: sched.GreenPower, Forecast: &sched.Forecast{Interval: units.Hour, Low: []float64{1, 2}, Mid: []float64{2, 2}, High: []float64{3, 2}}},
		{At: at(5 * units.Minute), Of: sched.Price, Forecast: &sched.Forecast{Start: at(10 * units.Minute), Interval: 10 * units.Minute, Mid: []float64{0.3, 0.2}}}}, cfg.Expect); d != "" {
		t.Error(d)
	}
	if origin := cfg.Can().Origin; origin != "2030-01-31T18:00:00+01:00" || !slices.Contains(s.Supplies(), sched.GreenPower) || len(s.Traces()) != 3 {
		t.Error(origin, s.Supplies(), s.Traces())
	}
}

// Words for a missing value are as an empty field; prices as markets have them, and much power, are values.
func TestSuppliesThatAreMissing(t *testing.T) {
	text := "at,price,green\n0,NA,9999\n1m,-99.9,null\n2m,-500,NaN\n3m,999,\n4m,4000,-\n"
	s, err := readBeside(t, map[string]string{"f.csv": text}, "supply_file: f.csv")
	if err != nil {
		t.Fatal(err)
	}
	var got []float64
	for _, step := range s.Sim(1).Supply {
		got = append(got, step.Amount)
	}
	if d := cmp.Diff([]float64{9999, -99.9, -500, 999, 4000}, got); d != "" {
		t.Error(d)
	}
}

func TestSuppliesThatCannotBe(t *testing.T) {
	supply, forecast := "supply_file: f.csv", "forecasts: [{of: capacity, file: f.csv}]"
	slots := "map_slots: 2, slots: {file: f.csv, as: out}"
	for _, c := range []struct{ cluster, file, want string }{
		{"supply: [{at: 1s}]", "", "s.yaml:2:46: a step needs a kind of supply; give green, price, carbon or capacity, such as {at: 1h, green: 4kW}"},
		{"supply: [{at: 1s, capacity: 1.5}]", "", "s.yaml:2:65: capacity is 1.5, it must be at most 1"},
		{"forecasts: [{of: wind, file: f.csv}]", "", `s.yaml:2:54: of is "wind", it must be "green", "price", "carbon" or "capacity"`},
		{"supply_file: none.csv", "", "s.yaml:2:50: none.csv: there is no such file"},
		{supply, "", "s.yaml:2:50: f.csv: it is empty; its first line must name the columns, such as at,green"},
		{supply, "at\n", "s.yaml:2:50: f.csv:1:1: there is no column but at; add any of green, price, carbon, capacity"},
		{supply, "green,at\n", `s.yaml:2:50: f.csv:1:1: unexpected column "green"; the first must be at, followed by any of green, price, carbon, capacity, each once`},
		{supply, "at,price,price\n", `s.yaml:2:50: f.csv:1:10: unexpected column "price"; the first must be at, followed by any of green, price, carbon, capacity, each once`},
		{supply, "at,price\n1m,x\n", `s.yaml:2:50: f.csv:2:4: "x" is not a number`},
		{supply, "at,carbon\n1m,-1\n", "s.yaml:2:50: f.csv:2:4: carbon is -1, it must not be negative"},
		{supply, "at,carbon\n1m,9999\n", "s.yaml:2:50: f.csv:2:4: 9999 stands for a missing value (EPW); leave its field empty, and what held before goes on"},
		{supply, "at,price\n1m,Inf\n", "s.yaml:2:50: f.csv:2:4: price is +Inf, it must be finite"},
		{supply, "at,green\n1m,-1\n", "s.yaml:2:50: f.csv:2:4: green-power is -1, it must not be negative"},
		{supply, "at,price\n2026-03-29 00:00,1\n", `s.yaml:2:50: f.csv:2:1: "2026-03-29 00:00" has no time zone; write 2026-03-29T00:00:00Z, or an offset or a zone by name`},
		{supply, "at,price\n-5m,1\n", `s.yaml:2:50: f.csv:2:1: "-5m" is not a time of the run`},
		{supply, "at,price\n1m,1\n60,2\n", "s.yaml:2:50: f.csv:3:1: 60 is not after the row before; rows must be in order of time, from 0"},
		{supply, "at,price\nsoon,1\n", `s.yaml:2:50: f.csv:2:1: "soon" is not a time of the run; write a span with a unit, such as 10m, or a number of seconds`},
		{supply, "at,price\nNaN,1\n", `s.yaml:2:50: f.csv:2:1: "NaN" is not a time of the run; write a span with a unit, such as 10m, or a number of seconds`},
		{supply, "at,price\n1m,1,2\n", "s.yaml:2:50: f.csv:2:6: the row has 3 fields, but the heading has 2; if its numbers have decimal commas, write points, such as 104.4"},
		{supply, "at,price\n1m,\"1\n", "s.yaml:2:50: f.csv:2:7: extraneous or missing \" in quoted-field"},
		{forecast, "at,mid\n0,1\n", "s.yaml:2:70: f.csv: it has 1 row, a forecast needs at least two, which give its interval"},
		{forecast, "at,mid\n0,1\n1m,1\n3m,1\n", "s.yaml:2:70: f.csv:4:1: the row is 2m after the one before, but the first two are 1m apart; rows of a forecast must be equally far apart"},
		{forecast, "at,mid\n0,1\n1m,\n", "s.yaml:2:70: f.csv:3:4: mid is missing; a forecast has no gaps"},
		{forecast, "at,mid\n0,1\n1m,1.5\n", "s.yaml:2:70: f.csv:3:4: capacity is 1.5, it must be at most 1, the whole cluster"},
		{forecast, "at,mid,low\n0,1,1\n1m,1,1\n", "s.yaml:2:70: f.csv:1:8: there is a column low but no high; a band needs both"},
		{forecast, "at,low,high\n0,1,1\n1m,1,1\n", "s.yaml:2:70: f.csv:1:1: there is no column mid; a forecast needs it"},
		{supply, "at,price\n", "s.yaml:2:50: f.csv: it has no row but its header"},
		{forecast, "at,mid\n", "s.yaml:2:70: f.csv: it has no rows, a"},
		{supply, "at,price\r1m,1,5\r", "s.yaml:2:50: f.csv:2:6: the row has 3 fields, but the heading has 2; if its numbers have decimal commas"},
		{supply, "at;price\n1m;1,5\n", "s.yaml:2:50: f.csv:1:1: its columns are not separated by commas; save it with commas between them, and with points in numbers"},
		{forecast, "at\tmid\n0\t1\n", "s.yaml:2:70: f.csv:1:1: its columns are not separated by commas"},
		{supply, "at,prce\n1m,1\n", `s.yaml:2:50: f.csv:1:4: unexpected column "prce"; the first must be at, followed by any of green, price, carbon, capacity, each once; did you mean "price"?`},
		{supply, "at,price\n1m,\"0,1\"\n", `s.yaml:2:50: f.csv:2:4: "0,1" has a decimal comma; write 0.1`},
		{supply, "at,green\n1m,\"1,5kW\"\n", `s.yaml:2:50: f.csv:2:4: "1,5kW" has a decimal comma; write 1.5kW`},
		{supply, "at,price\n1m,-9999\n", "s.yaml:2:50: f.csv:2:4: -9999 stands for a missing value (MIDC, SRML); leave its field empty, and what held before goes on"},
		{supply, "at,price\n1m,-999\n", "s.yaml:2:50: f.csv:2:4: -999 stands for a missing value (NSRDB, BSRN);"},
		{supply, "at,price\n1m,-9999.9\n", "s.yaml:2:50: f.csv:2:4: -9999.9 stands for a missing value"},
		{supply, "at,price\n1m,-9900\n", "s.yaml:2:50: f.csv:2:4: -9900 stands for a missing value"},
		{supply, "at,price\n1m,9999\n", "s.yaml:2:50: f.csv:2:4: 9999 stands for a missing value"},
		{supply, "at,green\n1m,-9999\n", "s.yaml:2:50: f.csv:2:4: -9999 stands for a missing value"},
		{supply, "at,capacity\n1m,9999\n", "s.yaml:2:50: f.csv:2:4: 9999 stands for a missing value"},
		{forecast, "at,mid\n0,1\n1m,-9999\n", "s.yaml:2:70: f.csv:3:4: -9999 stands for a missing value (MIDC, SRML); a forecast has no gaps"},
		{forecast, "at,mid\n0,1\n1m,NA\n", "s.yaml:2:70: f.csv:3:4: mid is missing; a forecast has no gaps"},
		{slots, "at,slots\n0,-9999\n", "s.yaml:2:65: f.csv:2:3: -9999 stands for a missing value (MIDC, SRML); leave the row out where it stays as it was"},
		{slots, "at,slots\n0,null\n", "s.yaml:2:65: f.csv:2:3: slots is missing; leave the row out where it stays as it was"},
		{slots, "at,slots\n0,-1\n", `s.yaml:2:65: f.csv:2:3: "-1" is not a number of slots`},
		{supply, "PAR1\x15\x04\x15\x10", "s.yaml:2:50: f.csv: it is a Parquet file, which is not read; write its rows as CSV or JSON lines"},
		{supply, "\ufeffat,price\n1m,x\n", `s.yaml:2:50: f.csv:2:4: "x" is not a number`},
		{forecast, "at,mid,low,high\n0,0.5,0.6,0.7\n1m,1,1,1\n", "s.yaml:2:70: f.csv:2:3: mid is 0.5, outside of its band from 0.6 to 0.7"},
	} {
		_, err := readBeside(t, map[string]string{"f.csv": c.file}, c.cluster)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s %q: %v\nwant %s", c.cluster, c.file, err, c.want)
		}
	}
	_, err := Read("s.yaml", []byte("start: 2030-01-31\ncluster: {nodes: 1}\nworkload: {jobs: [{id: a, maps: 1, map_time: 0s}]}\n"))
	if want := `s.yaml:1:8: start: "2030-01-31" is not a time with a zone, such as 2030-01-31T18:00:00+01:00 or 2030-01-31T18:00 Europe/Berlin`; err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
}

// FuzzForecast: no file makes the reader panic, and what it takes can be played.
func FuzzForecast(f *testing.F) {
	f.Add([]byte("at,low,mid,high\n0,1,2,3\n1h,2,2W,2\n"), uint8(sched.GreenPower))
	f.Add([]byte("at,mid\n10m,0.3\n20m,0.2\n"), uint8(sched.Price))
	f.Add([]byte("at,price\n2026-10-25 02:00:00+02:00,-0.3\n2026-10-25T02:00:00+01:00,0.2\n2026-10-25 05:00,1\n"), uint8(sched.Price))
	start, err := config.ParseInstant("2026-10-25T00:30 Europe/Berlin")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte, of uint8) {
		path := filepath.Join(t.TempDir(), "f.csv")
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		kind := 1 + sched.SupplyKind(of)%(sched.Supplies-1)
		if read, err := readForecast(path, start, kind); err == nil && read.Check(kind) != nil {
			t.Errorf("%+v: %v", read, read.Check(kind))
		}
		if steps, err := readSupply(path, start); err == nil {
			for _, s := range steps {
				if s.Of.Check(s.Amount) != nil || s.At < 0 {
					t.Errorf("%+v", s)
				}
			}
		}
	})
}
