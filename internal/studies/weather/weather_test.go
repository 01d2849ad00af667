package weather

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/maths/sun"
)

const (
	nsrdbHead = "Source,Location ID,Latitude,Longitude,Time Zone,GHI Units,Wind Speed Units\nNSRDB,1,40.5,-108.5,-7,w/m2,m/s\n"
	nsrdbCols = "Year,Month,Day,Hour,Minute,DHI,GHI,Clearsky GHI,Wind Speed,,\n"
	midcCols  = "DATE (MM/DD/YYYY),MST,Global PSP (Accumulated) [kWhr/m^2],Global PSP [W/m^2],Temperature @ 2m [deg C],Avg Wind Speed @ 10m [m/s]\n"
	plainCols = "time,ghi,clear,cloud,wind\n"
)

func all(t testing.TB, text string, gaps bool) (samples []Sample, err error) {
	t.Helper()
	r, err := Open(strings.NewReader(text), Options{File: "f.csv", Gaps: gaps, GapsBy: "--gaps"})
	for err == nil {
		var s Sample
		if s, err = r.Next(); err == nil {
			samples = append(samples, s)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return samples, err
}

func same(a, b Sample) bool {
	eq := func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }
	return a.At == b.At && eq(a.GHI, b.GHI) && eq(a.Clear, b.Clear) && eq(a.Cloud, b.Cloud) && eq(a.Wind,
		b.Wind)
}

// The three formats, with what is special about each: zones, values that stand for none, sensors at
// night.
func TestFormats(t *testing.T) {
	nan := math.NaN()
	at := func(text string) int64 {
		x, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return x.Unix()
	}
	for name, c := range map[string]struct {
		text string
		want []Sample
	}{
		"nsrdb": {nsrdbHead + nsrdbCols + "2017,1,31,23,30,1,2.5,3,0.5,,\n2017,2,1,0,0,1,2,,4,,\n",
			[]Sample{{at("2017-01-31T23:30:00-07:00"), 2.5, 3, nan, 0.5}, {at("2017-02-01T00:00:00-07:00"), 2,
				nan, nan, 4}}},
		"midc": {midcCols + "10/14/2018,00:00,4,-7.7,3,1\n10/14/2018,00:01,4,800,3,-99999\n",
			[]Sample{{at("2018-10-14T00:00:00-07:00"), 0, nan, nan, 1}, {at("2018-10-14T00:01:00-07:00"), 800,
				nan, nan, nan}}},
		"plain": {"# a remark\n" + plainCols + "2030-01-01T00:00:00+01:00,1,2,0.5,3\n2030-01-01T00:10:00+01:00, ,NaN,1,0\n",
			[]Sample{{at("2029-12-31T23:00:00Z"), 1, 2, 0.5, 3}, {at("2029-12-31T23:10:00Z"), nan, nan, 1,
				0}}},
		"gaps": {"time,wind\n2030-01-01T00:00:00Z,1\n2030-01-01T00:10:00Z,2\n2030-01-01T00:40:00Z,3\n",
			[]Sample{{at("2030-01-01T00:00:00Z"), nan, nan, nan, 1}, {at("2030-01-01T00:10:00Z"), nan, nan,
				nan, 2}, missing(at("2030-01-01T00:20:00Z")),
				missing(at("2030-01-01T00:30:00Z")), {at("2030-01-01T00:40:00Z"), nan, nan, nan, 3}}},
	} {
		got, err := all(t, c.text, name == "gaps")
		if err != nil || !slices.EqualFunc(got, c.want, same) {
			t.Errorf("%s: %+v, %v\nwant %+v", name, got, err, c.want)
		}
	}
}

// A whole day of less than moonlight is no weather but another unit. What is in part of a day, or wind alone,
// says nothing.
func TestKilowatts(t *testing.T) {
	const day = "time,ghi,wind\n2030-06-01T00:00:00Z,0,1\n2030-06-01T12:00:00Z,%s,1\n2030-06-02T00:00:00Z,0,1\n"
	for text, want := range map[string]string{
		fmt.Sprintf(day, "0.95"): "f.csv:3:22: the largest irradiance is 0.95 W/m²; is it in kW/m²?",
		fmt.Sprintf(day, "3"):    "",
		fmt.Sprintf(day, "0"):    "",
		"time,ghi\n2030-06-01T00:00:00Z,0\n2030-06-01T06:00:00Z,0.2\n": "",
	} {
		_, err := Read(strings.NewReader(text), Options{File: "f.csv"}, 0, 10*time.Minute)
		if got := fmt.Sprint(err); err != nil && got != want || err == nil && want != "" {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestFilesThatCannotBe(t *testing.T) {
	const a, b = "2030-01-01T00:00:00Z", "2030-01-01T00:10:00Z"
	for _, c := range []struct{ text, want string }{
		{"", "f.csv: it is empty; it should begin with a line of column names, such as time,ghi,wind"},
		{"at,ghi\n", `f.csv:1:1: unexpected column "at"; the first column must be time, followed by any of ghi, clear, cloud, wind, each once, or the file must begin as those of NSRDB or MIDC do`},
		{"time,sun\n", `f.csv:1:6: unexpected column "sun"; the first column must be time, followed by any of ghi, clear, cloud, wind, each once`},
		{"time,ghi,ghi\n", `f.csv:1:10: unexpected column "ghi"; the first column must be time, followed by any of ghi, clear, cloud, wind, each once`},
		{"time,clear\n", "f.csv:1:1: there is no column of sun or wind; a file in the format of CSV needs ghi, cloud or wind"},
		{"time,ghi\n" + a + ",1\n", "f.csv: it needs at least two rows of values, which give its interval, but has 1"},
		{"time,ghi\n1,1\n", `f.csv:2:1: "1" is not a time with a zone, such as 2030-01-31T18:00:00+01:00 or 2030-01-31T18:00 Europe/Berlin`},
		{"time,ghi\n" + a + "\n", "f.csv:2:1: the row has 1 field, but the heading has 2; a value that is missing is an empty field between its commas"},
		{"time,ghi\n" + a + ",x\n", `f.csv:2:22: "x" is not a number; write the irradiance in W/m², or nothing where it is missing`},
		{"time,wind\n" + a + ",-1\n", "f.csv:2:22: the wind speed is -1 m/s, it must not be negative; if that stands for no value, leave the field empty where it is missing"},
		{"time,ghi\n" + a + ",8888\n", "f.csv:2:22: the irradiance is 8888 W/m², it must be at most 2000; it probably stands for no value: leave the field empty where it is missing"},
		{"time,ghi\n" + a + ",\"104,4\"\n", `f.csv:2:22: "104,4" has a decimal comma; write 104.4`},
		{"time;ghi\n" + a + ";104,4\n", "f.csv:1:1: its columns are not separated by commas; save it with commas between them, and with points in numbers"},
		{"LOCATION,Denver\n", "f.csv:1:1: it is a file of EPW or PVGIS, which are not read; write its values as CSV with the columns time,ghi,wind"},
		{"time,ghi\n" + a + ",2500\n", "f.csv:2:22: the irradiance is 2500 W/m², it must be at most 2000; is it in kJ/m²?"},
		{"time,cloud\n" + a + ",40\n", "f.csv:2:22: the cloud cover is 40, it must be at most 1; is it in percent? Write it as a part of the sky, such as 0.4"},
		{"time,wind\n" + a + ",Inf\n", "f.csv:2:22: the wind speed is infinite; leave the field empty where it is missing"},
		{"time,wind\n" + a + ",1\n" + a + ",1\n",
			"f.csv:3:1: 2030-01-01 00:00 is not after 2030-01-01 00:00, the row before; rows must be in order of time"},
		{"time,wind\n" + b + ",1\n" + a + ",1\n",
			"f.csv:3:1: 2030-01-01 00:00 is not after 2030-01-01 00:10, the row before; rows must be in order of time"},
		{"time,wind\n" + a + ",1\n" + b + ",1\n2030-01-01T00:30:00Z,1\n",
			"f.csv:4:1: there is a gap: the row before is of 2030-01-01 00:10, the next should be of 2030-01-01 00:20, not 2030-01-01 00:30; " +
				"add it with empty fields, or let gaps count as missing values (--gaps)"},
		{"time,wind\n" + a + ",1\n" + b + ",1\n2030-01-01T00:15:00Z,1\n",
			"f.csv:4:1: 2030-01-01 00:15 is 5m0s after the row before, but rows before were 10m0s apart; rows must be equally far apart"},
		{"time,wind\n" + a + ",1\n2031-01-01T00:00:00Z,1\n",
			"f.csv:3:1: 2031-01-01 00:00 is 8760h0m0s after the row before, but intervals may be at most a day long"},
		{"time,wind\n" + a + ",\"1\n", `f.csv:2:25: extraneous or missing " in quoted-field`},
		{strings.Replace(nsrdbHead, "40.5", "95", 1),
			`f.csv:2:9: Latitude is "95", it must be a number from -90 to 90`},
		{strings.Replace(nsrdbHead, "w/m2", "kJ/m2", 1),
			`f.csv:2:24: GHI Units is "kJ/m2", it must be "w/m2"`},
		{strings.Replace(nsrdbHead, ",Time Zone", ",Zone", 1),
			`f.csv:2:1: the line before has no key "Time Zone"; a file of NSRDB needs it`},
		{"Source,Latitude\n\"0", `f.csv:2:3: extraneous or missing " in quoted-field`},
		{nsrdbHead, "f.csv: the file ends too early; an NSRDB file has names of columns next"},
		{nsrdbHead + "Year,Month,Day,Hour,Minute,GHI,GHI,Wind Speed\n",
			`f.csv:3:32: the column "GHI" is given twice`},
		{nsrdbHead + "Year,Month,Day,Hour,GHI\n",
			"f.csv:3:1: there is no column Minute; a file of NSRDB has Year, Month, Day, Hour and Minute"},
		{nsrdbHead + "Year,Month,Day,Hour,Minute,DHI\n",
			"f.csv:3:1: there is no column of sun or wind; a file in the format of NSRDB needs GHI or Wind Speed"},
		{nsrdbHead + nsrdbCols + "2017,13,1,0,0,1,2,3,4,,\n",
			`f.csv:4:6: "13" is not a month; it must be a whole number from 1 to 12`},
		{nsrdbHead + nsrdbCols + "2017,2,30,0,0,1,2,3,4\n", "f.csv:4:8: 2017-02 has no day 30"},
		{nsrdbHead + nsrdbCols + "2017,2,,0,0,1,2,3,4\n", `f.csv:4:8: "" is not a day; it must be a whole number from 1 to 31`},
		{nsrdbHead + nsrdbCols + "2017,2\n", "f.csv:4:1: the row has 2 fields, but the heading has 9; a value that is missing is an empty field between its commas"},
		{nsrdbHead + nsrdbCols + "2017,2,1,0,0,1,104,4,3,4\n", "f.csv:4:24: the row has 10 fields, but the heading has 9; if its numbers have decimal commas, write points, such as 104.4"},
		{strings.Replace(nsrdbHead, "40.5", "40,5", 1),
			"f.csv:2:29: the row has 8 fields, but the heading has 7; if its numbers have decimal commas, write points, such as 104.4"},
		{strings.Replace(midcCols, "MST", "Local", 1),
			`f.csv:1:19: "Local" is not a time zone that is known; it must be one of AKST, AST, CST, EST, GMT, HST, MST, PST, UTC`},
		{strings.Replace(midcCols, "m/s", "mph", 1),
			`f.csv:1:103: the column "Avg Wind Speed @ 10m [mph]" has the wrong unit, it must be in [m/s]`},
		{"DATE,MST,Global [kWhr/m^2]\n", `f.csv:1:10: the column "Global [kWhr/m^2]" has the wrong unit, it must be in [W/m^2]`},
		{"DATE,MST,Temperature\n", "f.csv:1:1: there is no column of sun or wind; a file in the format of MIDC needs a column such as Global Horizontal [W/m^2] or Avg Wind Speed @ 10m [m/s]"},
		{"DATE\n", "f.csv:1:1: there is no column of the time; in a file of MIDC the second is named as its time zone, such as MST"},
		{midcCols + "2018-10-14,00:00,1,1,1,1\n",
			`f.csv:2:1: "2018-10-14" and "00:00" are not a date and a time; write MM/DD/YYYY and HH:MM`},
		{midcCols + "10/14/2018,00:00,1,-50,1,1\n",
			"f.csv:2:20: the irradiance is -50 W/m², it must not be negative; if that stands for no value, leave the field empty where it is missing"},
	} {
		if _, err := all(t, c.text, false); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v\nwant %s", c.text, err, c.want)
		}
	}
}

// Rows are averaged over whole intervals that begin at multiples; what is missing does not count.
func TestAverage(t *testing.T) {
	text := "time,ghi,wind\n2030-01-01T00:05:00Z,9,9\n2030-01-01T00:10:00Z,1,\n2030-01-01T00:15:00Z,3,\n2030-01-01T00:20:00Z,5,4\n2030-01-01T00:25:00Z,,4\n2030-01-01T00:30:00Z,8,8\n"
	s, err := Read(strings.NewReader(text), Options{File: "f.csv"}, 0, 10*time.Minute)
	at := time.Date(2030, 1, 1, 0, 10, 0, 0, time.UTC).Unix()
	nan := math.NaN()
	if err != nil || s.Step != 10*time.Minute || s.From != "f.csv (CSV)" || !slices.EqualFunc(s.Samples,
		[]Sample{{at, 2, nan, nan, nan}, {at + 600, 5, nan, nan, 4}}, same) {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := Read(strings.NewReader(text), Options{File: "f.csv"}, 12*time.Minute, 0); err == nil ||
		err.Error() != "f.csv: its values are 5m0s apart; an interval must be a multiple of that, 12m0s is not" {
		t.Error(err)
	}
	if s, err := Read(strings.NewReader(text), Options{File: "f.csv"}, 0, 7*time.Minute); err != nil ||
		s.Step != 5*time.Minute || len(s.Samples) != 6 {
		t.Errorf("%+v, %v", s, err)
	}
	for _, c := range [][3]int64{{0, 600, 0}, {599, 600, 0}, {-1, 600, -600}, {-600, 600, -600}} {
		if floor(c[0], c[1]) != c[2] {
			t.Error(c, floor(c[0], c[1]))
		}
	}
}

func generator(seed uint64) *Generator {
	return madeOf(seed, 3, 10*time.Minute)
}

// What is made up comes back from its file, is the same each time, and looks like weather.
func TestGenerator(t *testing.T) {
	s := generator(7).Series()
	var text bytes.Buffer
	if err := s.Write(&text); err != nil {
		t.Fatal(err)
	}
	back, err := Read(&text, Options{File: "f.csv"}, 0, 10*time.Minute)
	if err != nil || !slices.EqualFunc(s.Samples, back.Samples, same) || !slices.EqualFunc(s.Samples,
		generator(7).Series().Samples, same) {
		t.Fatal(err)
	}
	if slices.EqualFunc(s.Samples, generator(8).Series().Samples, same) {
		t.Error("another seed gives the same weather")
	}
	night, changes, wind := 0, 0.0, 0.0
	for i, x := range s.Samples {
		if x.Cloud < 0 || x.Cloud > 0.9 || x.GHI > x.Clear+0.001 || x.Wind <= 0 || x.Wind > 40 {
			t.Errorf("%+v", x)
		}
		if x.Clear == 0 {
			night++
		}
		wind += x.Wind / float64(len(s.Samples))
		if i > 0 {
			changes += math.Abs(x.Cloud-s.Samples[i-1].Cloud) / float64(len(s.Samples))
		}
	}
	if night < 100 || night > 200 || changes < 0.01 || changes > 0.2 || wind < 2 || wind > 12 {
		t.Error(night, changes, wind)
	}
}

// FuzzOpen: no file makes a reader panic, and what it takes is in order, and can be.
func FuzzOpen(f *testing.F) {
	f.Add(nsrdbHead+nsrdbCols+"2017,1,31,23,30,1,2.5,3,0.5,,\n2017,2,1,0,0,1,2,,4,,\n", true)
	f.Add(midcCols+"10/14/2018,00:00,4,-7.7,3,1\n10/14/2018,00:01,4,800,3,-99999\n", false)
	f.Add(plainCols+"2030-01-01T00:00:00+01:00,1,2,0.5,3\n2030-01-01T00:10:00+01:00, ,NaN,1,0\n", false)
	f.Fuzz(func(t *testing.T, text string, gaps bool) {
		r, err := Open(strings.NewReader(text), Options{File: "f.csv", Gaps: gaps})
		if err != nil {
			return
		}
		var last, step int64
		for n := 0; n < 1000; n++ {
			s, err := r.Next()
			if err != nil {
				break
			}
			if n > 0 && s.At <= last || n > 1 && s.At-last != step {
				t.Fatalf("%d after %d, by %d", s.At, last, step)
			}
			last, step = s.At, s.At-last
			for _, x := range []float64{s.GHI, s.Clear, s.Cloud, s.Wind} {
				if x < 0 || math.IsInf(x, 0) {
					t.Fatalf("%+v", s)
				}
			}
		}
	})
}

// Where irradiance is not given, clouds take their part of a clear sky.
func TestCloudsTakePower(t *testing.T) {
	nan := math.NaN()
	s := &Series{Step: time.Hour, Samples: []Sample{{GHI: nan, Clear: 800, Cloud: 0.25, Wind: nan}, {GHI: 500, Clear: 800, Cloud: 0.25, Wind: nan}}}
	panels := sun.Panels{Peak: 1000}
	all, _, _ := Plant{Panels: panels}.Power(s)
	if want := []float64{panels.Power(600), panels.Power(500)}; !slices.Equal(all, want) || want[0] == panels.Power(200) {
		t.Errorf("it makes %v, want %v", all, want)
	}
}
