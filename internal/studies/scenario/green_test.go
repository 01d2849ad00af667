package scenario

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slackline/slackline/internal/maths/sun"
	"github.com/slackline/slackline/internal/studies/weather"
	"github.com/slackline/slackline/units"
)

// Each seed plays its own weather, from the hour on that is asked for. Half of the cluster runs on panels and a
// turbine of 1 kW each.
func TestGreenSlots(t *testing.T) {
	s, err := readBeside(t, nil, "slots: {as: up, weather: {hour: 10}, forecast: {by: weather, horizon: 2}}")
	if err != nil {
		t.Fatal(err)
	}
	one, again, other := s.Sim(1), s.Sim(1), s.Sim(2)
	if d := cmp.Diff(one.Supply, again.Supply); d != "" || cmp.Equal(one.Supply, other.Supply) || !s.Weathered() {
		t.Error("seeds do not have their own weather", d)
	}
	// The made-up weather begins at 17:00 by the sun, so 10:00 of its second day is 17 hours in, which counts
	// as its first one; the day behind that is the second.
	sky := weather.MadeUp(1, 3)
	power, _, _ := weather.Micro().Power(sky)
	begin := 144 + 17*6
	if len(one.Supply) != len(power)-begin || one.Supply[1].At != units.Time(10*units.Minute) {
		t.Fatal(len(one.Supply), one.Supply[1])
	}
	mix := sun.Mix{Grid: 0.5, Green: 2000}
	for i, row := range one.Supply {
		if want := mix.Capacity(power[begin+i]); row.Amount != want || one.Speeds[i].Factor != want {
			t.Fatalf("row %d: %v, not %v", i, row, want)
		}
	}
	// Without an error the weather is foreseen as it will be.
	for i, e := range one.Expect[:len(one.Expect)-2] {
		for h, x := range e.Forecast.Mid {
			if want := one.Supply[i+1+h].Amount; math.Abs(x-want) > 1e-9 {
				t.Fatalf("at row %d: %v of %v", i, x, want)
			}
		}
	}
	if s, err = readBeside(t, nil, "slots: {as: out, weather: {hour: 10, error: 0.3}, forecast: {by: weather}}"); err != nil {
		t.Fatal(err)
	}
	wrong := s.Sim(1)
	if cmp.Equal(wrong.Expect[0].Forecast.Mid, one.Expect[0].Forecast.Mid) || len(wrong.Sizes) == 0 || wrong.Speeds != nil {
		t.Error("an error changes no forecast, or nodes do not follow")
	}
	// What is forecast by the past knows the day before, so it has a band from the first row on.
	if s, err = readBeside(t, nil, "slots: {as: out, weather: {}, forecast: {by: arima}}"); err != nil {
		t.Fatal(err)
	}
	if f := s.Sim(1).Expect[0].Forecast; f.Low[0] >= f.Mid[0] || f.Mid[0] >= f.High[0] {
		t.Errorf("%+v", f)
	}
}

// Habits of those who hand out weather are told, and played: a leap day that is left out is not a day of a seed, and
// gaps are missing where the scenario says so.
func TestNotesOfWeather(t *testing.T) {
	record := func(days ...string) string {
		rows := "Source,Latitude,Longitude,Time Zone\nNSRDB,40,-105,-7\nYear,Month,Day,Hour,Minute,GHI,Wind Speed\n"
		for i, day := range days {
			for hour := range 24 {
				rows += fmt.Sprintf("%s,%d,0,0,%d\n", day, hour, i+3)
			}
		}
		return rows
	}
	for days, note := range map[string]string{"2024,2,27 2024,2,28 2024,3,1": "29 February 2024 is left out", "2003,6,29 2003,6,30 1998,7,1": "all are read as 2003",
		"2003,6,28 2003,6,29 2003,6,30": ""} {
		s, err := readBeside(t, map[string]string{"w.csv": record(strings.Fields(days)...)}, "slots: {as: up, weather: {file: w.csv}, forecast: {by: arima}}")
		if err != nil {
			t.Fatal(days, err)
		}
		if said := strings.Join(s.Notes(), "; "); !strings.Contains(said, note) || note == "" && said != "" {
			t.Errorf("%s: %q", days, said)
		}
		// From the second day on, which has a wind of 4 m/s, to the end of the third, with 5 m/s.
		rows := s.Sim(1).Supply
		if last := rows[len(rows)-1]; len(rows) < 24 || rows[0].Amount >= last.Amount || last.At > units.Time(40*units.Hour) {
			t.Errorf("%s: %v", days, rows)
		}
	}
	gap := map[string]string{"w.csv": record("2003,6,27", "2003,6,28", "2003,6,30", "2003,7,1")}
	if _, err := readBeside(t, gap, "slots: {as: up, weather: {file: w.csv}}"); err == nil || !strings.Contains(err.Error(), "count as missing values (gaps: true)") {
		t.Error(err)
	}
	if _, err := readBeside(t, gap, "slots: {as: up, weather: {file: w.csv, gaps: true}}"); err != nil {
		t.Error(err)
	}
}

// Weather that was measured takes the place of what would be made up: three days a seed, and then again.
func TestMeasuredSlots(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("time,ghi,clear,wind\n")
	for day := range 6 {
		for hour := range 24 {
			ghi := 0
			if hour >= 6 && hour < 18 {
				ghi = 100 * (day + 1)
			}
			fmt.Fprintf(&rows, "2030-06-%02dT%02d:00:00Z,%d,1000,0\n", day+1, hour, ghi)
		}
	}
	s, err := readBeside(t, map[string]string{"w.csv": rows.String()}, "slots: {as: out, weather: {file: w.csv, hour: 12}}")
	if err != nil {
		t.Fatal(err)
	}
	first, second, third := s.Sim(1), s.Sim(2), s.Sim(3)
	// At noon of its second day seed 1 has 200 W of 2,000, seed 2 has 500 W.
	if first.Supply[0].Amount != 0.55 || second.Supply[0].Amount != 0.625 || !cmp.Equal(first.Supply, third.Supply) {
		t.Error(first.Supply[0], second.Supply[0], third.Supply[0])
	}
	if files := s.Traces(); len(files) != 1 || !strings.HasSuffix(files[0], "w.csv") {
		t.Error(files)
	}
}

func TestGreenSlotsThatCannotBe(t *testing.T) {
	files := map[string]string{"short.csv": "time,wind\n2030-06-01T00:00:00Z,5\n2030-06-01T01:00:00Z,5\n",
		"calm.csv": "time,ghi\n2030-06-01T00:00:00Z,5\n2030-06-02T00:00:00Z,5\n2030-06-03T00:00:00Z,5\n"}
	for slots, want := range map[string]string{
		"{as: up, weather: {grid: 0}}":                                                            "grid is 0, but no node can have the speed 0 where there is neither sun nor wind; use as: out",
		"{as: up, weather: {}, rows: [{at: 0s, capacity: 1}]}":                                    "a file, rows or weather, and one of them only",
		"{as: up, weather: {file: none.csv}}":                                                     "none.csv",
		"{as: up, weather: {file: short.csv}}":                                                    "short.csv (CSV) is too short: each seed takes 3 days",
		"{as: up, weather: {file: calm.csv}}":                                                     "calm.csv (CSV) has no wind speed, which a turbine needs; give another file, or none to have weather made up",
		"{as: up, weather: {error: 0.1}}":                                                         "s.yaml:2:70: error is that of forecasts by weather, and nothing is forecast by weather here; give forecast: {by: weather}, or leave it out",
		"{as: up, weather: {error: 2}}":                                                           "error is 2, it must be at most 1",
		"{as: up, weather: {hour: 24}}":                                                           "hour is 24, it must be at most 23.99",
		"{as: up, rows: [{at: 0s, capacity: 1}, {at: 9s, capacity: 1}], forecast: {by: weather}}": "nothing is known of the weather behind this trace",
	} {
		_, err := readBeside(t, files, "slots: "+slots)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", slots, err, want)
		}
	}
}
