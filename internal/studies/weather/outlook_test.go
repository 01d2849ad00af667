package weather

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/maths/sun"
	"github.com/slackline/slackline/units"
)

func madeOf(seed uint64, days int, step time.Duration) *Generator {
	return &Generator{Seed: seed, Place: sun.Place{Latitude: 40, Longitude: -105}, Start: time.Date(2030, 6,
		1, 0, 0, 0, 0, time.UTC),
		Step: step, N: int(time.Duration(days) * 24 * time.Hour / step)}
}

func question(by string) Question {
	return Question{Plant: Plant{sun.Panels{Peak: 1000}, sun.Micro()}, Grid: 0.5, By: by, Window: 144,
		Horizon: 4}
}

// A sky without clouds, and no wind, is foreseen exactly by who knows the sun.
func TestClearDays(t *testing.T) {
	s := generator(1).Series()
	for i := range s.Samples {
		x := &s.Samples[i]
		x.GHI, x.Wind = x.Clear, 0
	}
	q := question("weather")
	q.At = time.Date(2030, 6, 2, 16, 0, 0, 0, time.UTC) // in the morning of Colorado
	q.Plant.Turbine = sun.Turbine{}
	o, err := Foresee(s, q)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range o.Forecast {
		if e.Came == nil || *e.Came < 300 || math.Abs(e.Power-*e.Came) > 0.01**e.Came ||
			math.Abs(e.Capacity-0.5-0.5**e.Came/1000) > 0.01 {
			t.Errorf("%+v, came %v", e, *e.Came)
		}
	}
}

// A band needs twenty earlier forecasts as far ahead that a value came for, in every form of the result.
func TestBandsNeedEvidence(t *testing.T) {
	s := generator(3).Series()
	for shown, banded := range map[int]int{3: 0, 20: 0, 21: 1, 23: 3, 24: 4} {
		q := question("persistence")
		q.At = time.Unix(s.Samples[shown].At, 0)
		o, err := Foresee(s, q)
		if err != nil {
			t.Fatal(err)
		}
		var table, rows bytes.Buffer
		if o.WriteTable(&table) != nil || o.WriteCSV(&rows) != nil {
			t.Fatal("it cannot be written")
		}
		text, _ := json.Marshal(o.Forecast)
		for of, n := range map[string]int{"JSON": strings.Count(string(text), `"capacity_low"`),
			"CSV": 4 - strings.Count(rows.String(), ",,")/2} {
			if n != banded {
				t.Errorf("after %d values the %s has %d bands, want %d", shown, of, n, banded)
			}
		}
		if said := fmt.Sprintf("no band for %s", units.Count(4-banded, "interval")); strings.Contains(table.String(), said) != (banded < 4) ||
			strings.Contains(table.String(), "the band that") != (banded > 0) {
			t.Errorf("after %d values:\n%s", shown, table.String())
		}
	}
}

// What lies behind the time of the forecast has no influence on it.
func TestForecastsLookBackOnly(t *testing.T) {
	for _, m := range Methods {
		a, b := generator(3).Series(), generator(3).Series()
		cut := 200
		for i := cut; i < len(b.Samples); i++ {
			b.Samples[i] = missing(b.Samples[i].At)
			b.Samples[i].Clear = a.Samples[i].Clear // the sun goes on
		}
		b.Samples = b.Samples[:cut+10]
		q := question(m.Name)
		q.At = time.Unix(a.Samples[cut].At, 0)
		x, err := Foresee(a, q)
		y, err2 := Foresee(b, q)
		if err != nil || err2 != nil {
			t.Fatal(m.Name, err, err2)
		}
		for h := range x.Forecast {
			x.Forecast[h].Came = nil
		}
		a1, _ := json.Marshal(x.Forecast)
		b1, _ := json.Marshal(y.Forecast)
		if string(a1) != string(b1) ||
			fmt.Sprint(x.Errors) != fmt.Sprint(y.Errors) {
			t.Errorf("%s:\n%s\n%s", m.Name, a1, b1)
		}
		if len(x.History) != cut || x.By != m.Name || x.Errors[0].Judged < cut-30 {
			t.Errorf("%s: %d, %+v", m.Name, len(x.History), x.Errors)
		}
		if x.Errors[3].Methods[m.Name] <= 0 || x.Errors[3].Methods["persistence"] <= 0 {
			t.Error(x.Errors)
		}
	}
}

// A forecast by weather is better than persistence three steps ahead, over weeks.
func TestWeatherHelps(t *testing.T) {
	o, err := Foresee(madeOf(5, 20, 10*time.Minute).Series(), question("combined"))
	if err != nil {
		t.Fatal(err)
	}
	e := o.Errors[2].Methods
	if e["weather"] >= e["persistence"] || e["combined"] >= e["persistence"] ||
		e["combined"] > 1.1*min(e["weather"], e["arima"]) {
		t.Error(e)
	}
	for _, x := range o.Forecast {
		if x.Judged < 2800 || math.Abs(x.Covered-0.9) > 0.08 {
			t.Errorf("%+v", x)
		}
	}
}

func TestQuestionsThatCannotBe(t *testing.T) {
	s := generator(1).Series()
	for _, c := range []struct {
		change func(*Series, *Question)
		want   string
	}{
		{func(_ *Series, q *Question) { q.At = time.Unix(0, 0) },
			"--at is 1970-01-01T00:00:00Z, but weather made up by seed 1 has values from 2030-06-01T00:00:00Z to 2030-06-04T00:00:00Z; it must be after the first and no later than the last"},
		{func(s *Series, q *Question) { q.At = time.Unix(s.Samples[0].At+60, 0) },
			"--at is 2030-06-01T00:01:00Z, but the first interval of weather made up by seed 1 ends at 2030-06-01T00:10:00Z only; it must be then or later"},
		{func(s *Series, _ *Question) { s.Samples = nil },
			"weather made up by seed 1 has no whole interval of 10m0s"},
		{func(s *Series, _ *Question) { blank(s, func(x *Sample) { x.Wind = math.NaN() }) },
			"weather made up by seed 1 has no wind speed, which a turbine needs; give --turbine 0 to leave it out"},
		{func(s *Series, _ *Question) {
			blank(s, func(x *Sample) {
				x.GHI, x.Cloud = math.NaN(),
					math.NaN()
			})
		},
			"weather made up by seed 1 has no irradiance, which panels need; give --panels 0 to leave them out"},
		{func(s *Series, _ *Question) { s.Known = false; blank(s, func(x *Sample) { x.Clear = math.NaN() }) },
			"weather made up by seed 1 does not say where it was measured, which a forecast by weather needs; give --site LATITUDE,LONGITUDE"},
		{func(_ *Series, q *Question) { q.Plant = Plant{} },
			"there are neither panels nor a turbine; give --panels or --turbine more than 0"},
	} {
		other := *s
		other.Samples = append([]Sample(nil), s.Samples...)
		q := question("combined")
		c.change(&other, &q)
		if _, err := Foresee(&other, q); err == nil || err.Error() != c.want {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}

func blank(s *Series, change func(*Sample)) {
	for i := range s.Samples {
		change(&s.Samples[i])
	}
}

// Each form of the result can be read, and the schema names every key of the JSON.
func TestForms(t *testing.T) {
	q := question("combined")
	q.At = time.Date(2030, 6, 2, 18, 0, 0, 0, time.UTC)
	s := generator(2).Series()
	s.Samples[100].GHI, s.Samples[100].Cloud = math.NaN(), math.NaN()
	o, err := Foresee(s, q)
	if err != nil {
		t.Fatal(err)
	}
	var table, trace, rows bytes.Buffer
	for _, err := range []error{o.WriteTable(&table), o.WriteTrace(&trace), o.WriteCSV(&rows)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(rows.String(), "\n"); n != 5 {
		t.Error(rows.String())
	}
	if text := trace.String(); !strings.HasPrefix(text, "at,capacity\n0,0.") || strings.Contains(text,
		"\n60000,") || !strings.Contains(text, "\n60600,") {
		t.Error(text[:200])
	}
	if text := table.String(); !strings.Contains(text,
		"weather made up by seed 2: power from 2030-06-02T18:00:00Z on, by combined") ||
		!strings.Contains(text, "persistence") {
		t.Error(text)
	}
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var value, schema map[string]any
	text2, err := Schema()
	if err != nil || json.Unmarshal(text, &value) != nil || json.Unmarshal(text2, &schema) != nil {
		t.Fatal(err)
	}
	holds(t, "outlook", value, schema)
}

func holds(t *testing.T, at string, value any, schema map[string]any) {
	t.Helper()
	switch v := value.(type) {
	case map[string]any:
		known, _ := schema["properties"].(map[string]any)
		other, _ := schema["additionalProperties"].(map[string]any)
		for key, x := range v {
			of, ok := known[key].(map[string]any)
			if !ok {
				of = other
			}
			if of == nil {
				t.Errorf("%s.%s is not in the schema", at, key)
				continue
			}
			holds(t, at+"."+key, x, of)
		}
	case []any:
		for _, x := range v {
			holds(t, at, x, schema["items"].(map[string]any))
		}
	case nil:
		t.Errorf("%s is null, and the schema does not know that", at)
	}
}
