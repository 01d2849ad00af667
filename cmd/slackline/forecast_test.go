package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/weather"
)

// The forecast is the same in every form, its trace can be played, and the weather that the example
// has is that of its seed.
func TestForecast(t *testing.T) {
	t.Parallel()
	example, err := os.ReadFile("../../examples/weather.csv")
	if err != nil {
		t.Fatal(err)
	}
	s := newShell(t, map[string]string{"weather.csv": string(example),
		"green.yaml": "cluster: {nodes: 4, slots: {file: slots.csv, as: up, forecast: {by: arima}}}\nworkload: {jobs: [{id: a, maps: 9, map_time: 10m}]}\n"})
	if made := s.must(0, "forecast", "weather", "--days", "3", "--seed", "1"); made != string(example) {
		t.Error("examples/weather.csv is not what its seed gives")
	}
	at := []string{"forecast", "power", "weather.csv", "--at", "36h", "--horizon", "50m", "--grid", "30%"}
	var o weather.Outlook
	if err := json.Unmarshal([]byte(s.must(0, append(at, "-o", "json", "--trace", "slots.csv")...)), &o); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(s.must(0, append(at, "-o", "csv")...))).ReadAll()
	if err != nil || len(rows) != 6 || len(o.Forecast) != 5 || o.Grid != 0.3 || len(o.History) != 216 ||
		o.Source != "weather.csv (CSV)" {
		t.Fatal(rows, err, o.Grid, len(o.History), o.Source)
	}
	table := s.must(0, at...)
	for i, e := range o.Forecast {
		if rows[i+1][0] != e.At.Format("2006-01-02T15:04:05Z07:00") || !strings.Contains(table,
			e.At.Format("2006-01-02 15:04")) || e.Capacity < 0.3 {
			t.Errorf("%v, %+v", rows[i+1], e)
		}
	}
	s.must(0, "simulate", "green.yaml", "--policy", "fifo", "--journal", "j")
	if n := strings.Count(s.read("j"), "event forecast-issued of=capacity"); n < 3 {
		t.Errorf("policies are told %d forecasts", n)
	}
	if made := s.must(0, "forecast", "power", "--grid", "0"); !strings.Contains(made,
		"weather made up by seed 1") || !strings.Contains(made, "the grid carries 0 %") {
		t.Error(made)
	}
}

func TestForecastsThatCannotBe(t *testing.T) {
	s := newShell(t, map[string]string{"w.csv": "time,ghi\n2030-06-01T18:00:00Z,1\n2030-06-01T18:10:00Z,9\n2030-06-01T18:20:00Z,5\n",
		"bad.csv": "time,ghi\n2030-06-01T18:00:00Z,1\n2030-06-01T17:10:00Z,9\n"})
	for args, want := range map[string]string{
		"w.csv":                        "w.csv (CSV) has no wind speed, which a turbine needs; give --turbine 0 to leave it out",
		"w.csv --turbine 0":            "w.csv (CSV) does not say where it was measured, which a forecast by weather needs; give --site LATITUDE,LONGITUDE",
		"w.csv --turbine 0 --by guess": `--by: there is no method "guess"; there are: arima, combined, persistence, seasonal, weather`,
		"w.csv --by arma":              `--by: there is no method "arma"; did you mean "arima"?`,
		"w.csv --grid 100%":            `--grid is "100%", it must be a part from 0 to below 1, such as 50% or 0.5`,
		"w.csv --panels much":          `--panels is "much", it must be a power, such as 1kW, or 0 for none`,
		"w.csv --site 91,0":            `--site is "91,0", it must be latitude and longitude in degrees, such as 39.74,-105.18`,
		"w.csv --window 3":             "--window is 3, it must be from 12 to 100000",
		"w.csv --horizon 0s":           `--horizon is "0s", it must be a span of whole seconds, such as 10m`,
		"w.csv --horizon 300d":         "--horizon 300d is 43200 intervals of 10m, it must be at most 1000",
		"w.csv --interval 15m":         "w.csv: its values are 10m0s apart; an interval must be a multiple of that, 15m0s is not",
		"w.csv --at noon":              `--at is "noon", it must be a time with a zone, such as 2030-06-03T11:00:00Z, or a span from the first value, such as 36h`,
		"w.csv --seed 3":               "--seed has no effect with a file: it seeds made-up weather",
		"--gaps":                       "--gaps has no effect without a file: made-up weather has no gaps",
		"none.csv":                     "none.csv: there is no such file",
		"bad.csv":                      "bad.csv:3:1: 2030-06-01 17:10 is not after 2030-06-01 18:00, the row before; rows must be in order of time",
		".":                            ". is a folder; name a file",
	} {
		r := s.run(append([]string{"forecast", "power"}, strings.Fields(args)...)...)
		if got := strings.TrimSpace(r.stderr); r.code != 2 || got != "slackline: "+want {
			t.Errorf("%s: %d, %s\nwant %s", args, r.code, got, want)
		}
	}
}
