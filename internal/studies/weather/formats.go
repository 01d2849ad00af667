package weather

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/config"
)

// nsrdb begins a file of NREL's National Solar Radiation Database: two lines about the place, one
// of columns.
func (r *Reader) nsrdb() error {
	keys := r.csv.Heading()
	if err := r.second("values of the keys in its first line"); err != nil {
		return err
	}
	r.csv.Loose()
	zone := 0.0
	for _, about := range []struct {
		key       string
		low, high float64
		to        *float64
	}{{"Latitude", -90, 90, &r.Place.Latitude}, {"Longitude", -180, 180, &r.Place.Longitude}, {"Time Zone", -12, 14, &zone}} {
		col := slices.Index(keys, about.key)
		if col < 0 {
			return r.errorf(0, "the line before has no key %q; a file of NSRDB needs it", about.key)
		}
		x, err := strconv.ParseFloat(r.text(col), 64)
		if err != nil || !(x >= about.low && x <= about.high) {
			return r.errorf(col, "%s is %q, it must be a number from %v to %v", about.key, r.text(col), about.low, about.high)
		}
		*about.to = x
	}
	for key, want := range map[string]string{"GHI Units": "w/m2", "Wind Speed Units": "m/s"} {
		if col := slices.Index(keys, key); col >= 0 && !strings.EqualFold(r.text(col), want) {
			return r.errorf(col, "%s is %q, it must be %q", key, r.text(col), want)
		}
	}
	r.Format, r.Known, r.Zone = "NSRDB", true, time.FixedZone("", int(zone*3600))
	if err := r.second("names of columns"); err != nil {
		return err
	}
	r.cols = r.csv.Heading()
	for i, name := range r.cols {
		if name != "" && slices.Contains(r.cols[:i], name) {
			return r.errorf(i, "the column %q is given twice", name)
		}
	}
	var parts [5]int
	for i, name := range []string{"Year", "Month", "Day", "Hour", "Minute"} {
		if parts[i] = slices.Index(r.cols, name); parts[i] < 0 {
			return r.errorf(0, "there is no column %s; a file of NSRDB has Year, Month, Day, Hour and Minute",
				name)
		}
	}
	r.when = func() (time.Time, error) {
		var n [5]int
		for i, bound := range [5][2]int{{1900, 2200}, {1, 12}, {1, 31}, {0, 23}, {0, 59}} {
			var err error
			if n[i], err = r.whole(parts[i], "a "+strings.ToLower(r.cols[parts[i]]), bound[0],
				bound[1]); err != nil {
				return time.Time{}, err
			}
		}
		t := time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], 0, 0, r.Zone)
		if t.Day() != n[2] {
			return t, r.errorf(parts[2], "%d-%02d has no day %d", n[0], n[1], n[2])
		}
		return t, nil
	}
	r.take("GHI", ghiField)
	r.take("Clearsky GHI", clearField)
	r.take("Wind Speed", windField)
	return r.need("GHI or Wind Speed")
}

// second reads another line of the beginning.
func (r *Reader) second(what string) error {
	err := r.read()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: the file ends too early; an NSRDB file has %s next", r.opt.File, what)
	}
	return err
}

func (r *Reader) take(name string, f field) {
	if col := slices.Index(r.cols, name); col >= 0 {
		r.fields = append(r.fields, f.at(col))
	}
}

func (r *Reader) need(what string) error {
	for _, f := range r.fields {
		if f.name != clearField.name {
			return nil
		}
	}
	return r.errorf(0, "there is no column of sun or wind; a file in the format of %s needs %s", r.Format,
		what)
}

// zones are those that MIDC's files have as the name of their second column, in hours.
var zones = map[string]int{"UTC": 0, "GMT": 0, "AST": -4, "EST": -5, "CST": -6, "MST": -7, "PST": -8,
	"AKST": -9, "HST": -10}

// midc begins a file of MIDC: columns with units in brackets, of which the first fits are taken.
func (r *Reader) midc() error {
	r.Format = "MIDC"
	if len(r.cols) < 2 {
		return r.errorf(0, "there is no column of the time; in a file of MIDC the second is named as its time zone, such as MST")
	}
	hours, ok := zones[r.cols[1]]
	if !ok {
		return r.errorf(1, "%q is not a time zone that is known; it must be one of AKST, AST, CST, EST, GMT, HST, MST, PST, UTC", r.cols[1])
	}
	r.Zone = time.FixedZone(r.cols[1], hours*3600)
	for _, want := range []struct {
		begins, unit string
		field        field
	}{{"Global", "[W/m^2]", ghiField}, {"Avg Wind Speed", "[m/s]", windField}, {"Wind Speed", "[m/s]",
		windField}} {
		taken := slices.ContainsFunc(r.fields, func(f field) bool { return f.name == want.field.name })
		begins := func(c string) bool { return !taken && strings.HasPrefix(c, want.begins) }
		fits := func(c string) bool { return begins(c) && strings.Contains(c, want.unit) }
		if col := slices.IndexFunc(r.cols, fits); col >= 0 {
			r.fields = append(r.fields, want.field.at(col))
		} else if col = slices.IndexFunc(r.cols, begins); col >= 0 {
			return r.errorf(col, "the column %q has the wrong unit, it must be in %s", r.cols[col], want.unit)
		}
	}
	r.when = func() (time.Time, error) {
		t, err := time.ParseInLocation("01/02/2006 15:04", r.text(0)+" "+r.text(1), r.Zone)
		if err != nil {
			return t, r.errorf(0, "%q and %q are not a date and a time; write MM/DD/YYYY and HH:MM",
				r.text(0), r.text(1))
		}
		return t, nil
	}
	return r.need("a column such as Global Horizontal [W/m^2] or Avg Wind Speed @ 10m [m/s]")
}

// plain begins a file with columns of our own names.
func (r *Reader) plain() error {
	r.Format = "CSV"
	const right = "the first column must be time, followed by any of ghi, clear, cloud, wind, each once"
	if r.cols[0] != "time" {
		return r.errorf(0, "unexpected column %q; %s, or the file must begin as those of NSRDB or MIDC do",
			r.cols[0], right)
	}
	known := map[string]field{"ghi": ghiField, "clear": clearField, "cloud": cloudField, "wind": windField}
	for i, c := range r.cols[1:] {
		f, ok := known[c]
		if !ok || slices.Contains(r.cols[:i+1], c) {
			return r.errorf(i+1, "unexpected column %q; %s", c, right)
		}
		r.fields = append(r.fields, f.at(i+1))
	}
	first := true
	r.when = func() (time.Time, error) {
		t, err := config.ParseInstant(r.text(0))
		if err != nil {
			return t, r.errorf(0, "%v", err)
		}
		if first {
			r.Zone, first = t.Location(), false
		}
		return t, nil
	}
	return r.need("ghi, cloud or wind")
}
