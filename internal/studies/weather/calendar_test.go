package weather

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// hours writes a file of NSRDB with the hours of days, each of which has its own irradiance.
func hours(days ...string) string { return rows(1, days) }

// rows does so with a row for each so many hours.
func rows(step int, days []string) string {
	var b strings.Builder
	b.WriteString("Source,Location ID,Latitude,Longitude,Time Zone\nNSRDB,1,39.7,-105.2,-7\nYear,Month,Day,Hour,Minute,GHI,Wind Speed\n")
	for i, d := range days {
		var y, m, day int
		fmt.Sscanf(d, "%d-%d-%d", &y, &m, &day)
		for h := 0; h < 24; h += step {
			ghi := 0
			if h > 7 && h < 17 {
				ghi = 100 + i
			}
			fmt.Fprintf(&b, "%d,%d,%d,%d,30,%d,4.5\n", y, m, day, h, ghi)
		}
	}
	return b.String()
}

func read(text string) (*Series, error) {
	return Read(strings.NewReader(text), Options{File: "w.csv"}, 0, 10*time.Minute)
}

// Months of different years are one year, whether years fall or rise; a leap day that is left out is missing.
func TestCalendars(t *testing.T) {
	for _, c := range []struct {
		days  []string
		last  string
		gaps  int
		notes string
	}{
		{[]string{"2003-06-29", "2003-06-30", "1998-07-01", "1998-07-02"}, "2003-07-02", 0,
			"it is a typical year, made of months of different years: all are read as 2003, the year of the first row"},
		{[]string{"1998-06-30", "2003-07-01"}, "1998-07-01", 0, "all are read as 1998"},
		{[]string{"2003-06-30", "2003-07-01"}, "2003-07-01", 0, ""},
		{[]string{"2003-12-31", "2004-01-01"}, "2004-01-01", 0, ""},
		{[]string{"2003-12-31", "1998-01-01"}, "2004-01-01", 0, "all are read as 2003"},
		{[]string{"2024-02-28", "2024-03-01"}, "2024-03-01", 24, "29 February 2024 is left out, as by calendars of 365 days: its values are missing"},
		{[]string{"2003-02-28", "2003-03-01"}, "2003-03-01", 0, ""},
		// February of a leap year in one that is none, and the other way round.
		{[]string{"2003-01-31", "2008-02-01"}, "2003-02-01", 0, "all are read as 2003"},
		{[]string{"2008-02-28", "1999-03-01"}, "2008-03-01", 24, "all are read as 2008, the year of the first row; w.csv: 29 February 2008 is left out"},
	} {
		s, err := read(hours(c.days...))
		if err != nil {
			t.Errorf("%v: %v", c.days, err)
			continue
		}
		gaps := 0
		for i, x := range s.Samples {
			if math.IsNaN(x.Wind) {
				gaps++
			}
			if i > 0 && x.At-s.Samples[i-1].At != 3600 {
				t.Errorf("%v: a step of %d s", c.days, x.At-s.Samples[i-1].At)
			}
		}
		last := time.Unix(s.Samples[len(s.Samples)-1].At, 0).In(s.Zone).Format(time.DateOnly)
		if notes := strings.Join(s.Notes, "; "); last != c.last || gaps != c.gaps || !strings.Contains(notes, c.notes) || c.notes == "" && notes != "" {
			t.Errorf("%v: ends %s with %d missing, %q; want %s, %d, %q", c.days, last, gaps, notes, c.last, c.gaps, c.notes)
		}
	}
	// A year that is only misspelt, a gap beside the leap day, and a second year are errors as before.
	for _, c := range []struct {
		days []string
		want string
	}{
		{[]string{"2003-06-29", "1998-06-30"}, "1998-06-30 00:30 is not after 2003-06-29 23:30"},
		{[]string{"2003-06-29", "2003-07-01"}, "there is a gap"},
		{[]string{"2024-02-28", "2024-03-02"}, "there is a gap"},
		{[]string{"2024-02-27", "2024-02-29"}, "there is a gap"},
		{append(append([]string{"2003-01-31", "1998-02-01"}, daysFrom("1998-02-02", 333)...), daysFrom("2001-01-01", 40)...), "a year ends here"},
	} {
		if _, err := read(hours(c.days...)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v\nwant %s", c.days, err, c.want)
		}
	}
}

func daysFrom(day string, n int) (list []string) {
	at, _ := time.Parse(time.DateOnly, day)
	for range n {
		list = append(list, at.Format(time.DateOnly))
		at = at.AddDate(0, 0, 1)
	}
	return list
}

// Whatever years the months of a typical year are of, its values stand in their order, a year long.
func TestTypicalYears(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := time.Month(rapid.IntRange(1, 12).Draw(t, "first"))
		var days []string
		for i := range 12 {
			year, month := rapid.IntRange(1990, 2020).Draw(t, "year"), (int(first)-1+i)%12+1
			for day := 1; day <= [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[month-1]; day++ {
				days = append(days, fmt.Sprintf("%d-%d-%d", year, month, day))
			}
		}
		s, err := read(rows(12, days))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, x := range s.Samples {
			if !math.IsNaN(x.GHI) {
				if day := n / 2; x.GHI > 0 && x.GHI != float64(100+day) {
					t.Fatalf("row %d has the irradiance %v", n, x.GHI)
				}
				n++
			}
		}
		if missing := len(s.Samples) - n; n != 730 || missing != 0 && missing != 2 {
			t.Fatal(n, missing)
		}
	})
}

// What stands for no value by its source is missing and told; what a sensor gives at night is 0.
func TestAbsent(t *testing.T) {
	for _, c := range []struct {
		cols, field string
		x           float64
		note        string
	}{
		{"ghi", "-9999.9", math.NaN(), "irradiance is -9999.9 once, which stands for no value (SURFRAD): missing"},
		{"ghi", "9999", math.NaN(), "irradiance is 9999 once, which stands for no value (EPW): missing"},
		{"ghi", "-9900", math.NaN(), "NSIDC"}, {"ghi", "-999", math.NaN(), "NSRDB"}, {"ghi", "-9999", math.NaN(), "MIDC"},
		{"ghi", "-9.999e3", math.NaN(), "MIDC"},
		{"ghi", "999", 999, ""}, {"wind", "999", math.NaN(), "wind speed is 999 once"}, {"wind", "99", 99, ""},
		{"cloud", "9999", math.NaN(), "cloud cover is 9999 once"},
		{"ghi", "NA", math.NaN(), ""}, {"ghi", "null", math.NaN(), ""}, {"wind", "M", math.NaN(), ""}, {"wind", "None", math.NaN(), ""},
		{"ghi", "-3.5", 0, "irradiance is a little below 0 once, which a sensor gives at night: read as 0"},
	} {
		s, err := read("time," + c.cols + "\n2030-01-01T00:00:00Z,0.5\n2030-01-01 00:10:00+00:00," + c.field + "\n")
		if err != nil {
			t.Errorf("%s %s: %v", c.cols, c.field, err)
			continue
		}
		x := s.Samples[1]
		got := map[string]float64{"ghi": x.GHI, "wind": x.Wind, "cloud": x.Cloud}[c.cols]
		notes := strings.Join(s.Notes, "; ")
		if got != c.x && !(math.IsNaN(got) && math.IsNaN(c.x)) || !strings.Contains(notes, c.note) || c.note == "" && notes != "" {
			t.Errorf("%s %s: %v, %q; want %v, %q", c.cols, c.field, got, notes, c.x, c.note)
		}
	}
}

// Irradiance where the sun is below the horizon is told, with by how much times seem to be off; what twilight or
// the name of an interval explains is not.
func TestLocalTimes(t *testing.T) {
	g := generator(4) // at 40 north, 105 west
	g.N = 144 * 10
	right := g.Series()
	for i := range right.Samples {
		right.Samples[i].GHI = right.Samples[i].Clear // no clouds
	}
	for hours, want := range map[int]string{-7: "They seem to be about 7 h early; if so, their offset from UTC is -07:00, not +00:00",
		7: "They seem to be about 7 h late; if so, their offset from UTC is +07:00, not +00:00", 12: "about 12 h", 4: "4 h late", 0: "", 2: "2 h late"} {
		s := *right
		s.Samples, s.Notes = slices.Clone(s.Samples), nil
		for i := range s.Samples {
			s.Samples[i].At += int64(hours * 3600)
		}
		s.daylight()
		if said := strings.Join(s.Notes, "; "); !strings.Contains(said, want) || want == "" && said != "" {
			t.Errorf("%d h: %s", hours, said)
		}
		// Three hours of it stand in the dark, and do not tell by how much.
		noon := slices.IndexFunc(s.Samples, func(x Sample) bool { return x.GHI > 500 })
		s.Samples, s.Notes = s.Samples[noon:noon+18], nil
		s.daylight()
		if said := strings.Join(s.Notes, "; "); strings.Contains(said, "seem") || said == "" && hours == 12 {
			t.Errorf("%d h, from three hours: %s", hours, said)
		}
	}
}
