// Package weather reads what the sun and the wind did, and says what power is to be had of them:
// NSRDB's files, those of NREL's Measurement and Instrumentation Data Center (MIDC), plain CSV, and
// a generator where there is none. Readers stream; their errors name file, line and column.
package weather

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/maths/sun"
)

// A Sample is the weather of an interval. What is missing is NaN.
type Sample struct {
	At    int64   // when the interval begins, in seconds since 1970, UTC
	GHI   float64 // global horizontal irradiance, in W/m²
	Clear float64 // what it would be under a clear sky
	Cloud float64 // cloud cover, from 0 to 1
	Wind  float64 // wind speed, in m/s
}

// missing is an interval without values.
func missing(at int64) Sample {
	nan := math.NaN()
	return Sample{At: at, GHI: nan, Clear: nan, Cloud: nan, Wind: nan}
}

// Options say how a file is read.
type Options struct {
	File   string     // its name, for errors
	Gaps   bool       // intervals that are left out are missing; else they are errors
	GapsBy string     // what the user writes to have Gaps, for errors; "" if there is no way
	Site   *sun.Place // where it was measured, whatever the file says; nil: what the file says
}

// A Reader reads a file.
type Reader struct {
	Format string         // NSRDB, MIDC or CSV
	Zone   *time.Location // of the file's clock
	// Place is where it was measured, if Known: only NSRDB's files say so.
	Place sun.Place
	Known bool

	opt    Options
	csv    *files.Table
	row    []string
	cols   []string
	when   func() (time.Time, error) // of the row
	fields []field
	peaks  []peak // of these
	rules  []filled
	ahead  *Sample // behind a gap
	calendar
}

// A field is a column that is read.
type field struct {
	col  int
	name string
	to   func(*Sample) *float64
	unit string
	most float64
	hint string // what it may be where it is above most
	// faint is what some value of a day is above; else it may be in the other unit. 0 = there is no such value.
	faint float64
	other string
	dark  float64 // values from here to 0 are those of a sensor at night, and 0
}

// A peak is the largest value of a field, and where it stands.
type peak struct {
	value     float64
	line, col int
}

var (
	ghiField = field{name: "irradiance", to: func(s *Sample) *float64 { return &s.GHI }, unit: "W/m²",
		most: 2000, hint: "is it in kJ/m²?", faint: 2, other: "kW/m²", dark: -30}
	clearField = field{name: "irradiance under a clear sky", to: func(s *Sample) *float64 { return &s.Clear },
		unit: "W/m²", most: 2000, hint: "is it in kJ/m²?", faint: 2, other: "kW/m²"}
	cloudField = field{name: "cloud cover", to: func(s *Sample) *float64 { return &s.Cloud }, most: 1,
		hint: "is it in percent? Write it as a part of the sky, such as 0.4"}
	windField = field{name: "wind speed", to: func(s *Sample) *float64 { return &s.Wind }, unit: "m/s",
		most: 120, hint: "is it in another unit?"}
)

func (f field) at(col int) field { f.col = col; return f }

// Open reads the beginning of a file, which tells its format.
func Open(in io.Reader, opt Options) (*Reader, error) {
	r := &Reader{opt: opt, csv: files.NewTable(opt.File, in), Zone: time.UTC}
	if err := r.read(); err != nil {
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("%s: it is empty; it should begin with a line of column names, such as time,ghi,wind", opt.File)
		}
		return nil, err
	}
	r.cols = r.csv.Heading()
	err := r.csv.Separated()
	switch {
	case err != nil:
	case r.cols[0] == "LOCATION", strings.HasPrefix(r.cols[0], "Latitude (decimal degrees)"):
		return nil, r.errorf(0, "it is a file of EPW or PVGIS, which are not read; write its values as CSV with the columns time,ghi,wind")
	case r.cols[0] == "Source":
		err = r.nsrdb()
	case strings.HasPrefix(r.cols[0], "DATE"):
		err = r.midc()
	default:
		err = r.plain()
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Reader) errorf(col int, format string, args ...any) error {
	return r.csv.Errorf(col, format, args...)
}

// read reads a row.
func (r *Reader) read() (err error) {
	r.row, err = r.csv.Next()
	return err
}

// text is a field of the row, empty where the row is too short.
func (r *Reader) text(col int) string {
	if col >= len(r.row) {
		return ""
	}
	return r.row[col]
}

// whole is a field that is a whole number within bounds.
func (r *Reader) whole(col int, what string, low, high int) (int, error) {
	n, err := strconv.Atoi(r.text(col))
	if err != nil || n < low || n > high {
		return 0, r.errorf(col, "%q is not %s; it must be a whole number from %d to %d", r.text(col), what,
			low, high)
	}
	return n, nil
}

// Next reads the next interval; io.EOF where there is none.
func (r *Reader) Next() (Sample, error) {
	if r.ahead != nil {
		return r.fill()
	}
	for {
		if err := r.read(); err != nil {
			if errors.Is(err, io.EOF) && r.rows < 2 {
				return Sample{}, fmt.Errorf("%s: it needs at least two rows of values, which give its interval, but has %d", r.opt.File, r.rows)
			}
			if errors.Is(err, io.EOF) {
				err = r.units(err)
			}
			return Sample{}, err
		}
		row, err := r.when()
		if err != nil {
			return Sample{}, err
		}
		at, there := r.place(row)
		if !there {
			continue
		}
		s, err := r.sample(at.Unix())
		if err != nil {
			return Sample{}, err
		}
		left, err := r.follow(row, at)
		if left > 0 {
			r.ahead = &s
			return r.fill()
		}
		return s, err
	}
}

// sample reads the values of the row.
func (r *Reader) sample(at int64) (Sample, error) {
	s := missing(at)
	if r.peaks == nil {
		r.peaks = make([]peak, len(r.fields))
	}
	for i, f := range r.fields {
		x, err := r.number(f)
		if err != nil {
			return Sample{}, err
		}
		if *f.to(&s) = x; x > r.peaks[i].value {
			r.peaks[i].value = x
			r.peaks[i].line, r.peaks[i].col = r.csv.Pos(f.col)
		}
	}
	return s, nil
}

// units says which field is in another unit, by all values of a day at least, else end.
func (r *Reader) units(end error) error {
	if int64(r.rows)*r.step < 86400 {
		return end
	}
	for i, f := range r.fields {
		if t := r.peaks[i]; t.value > 0 && t.value <= f.faint {
			return fmt.Errorf("%s:%d:%d: the largest %s is %v %s; is it in %s?", r.opt.File, t.line, t.col, f.name, t.value, f.unit, f.other)
		}
	}
	return end
}

// fill goes on through a gap to the sample behind it.
func (r *Reader) fill() (Sample, error) {
	r.last += r.step
	if r.last == r.ahead.At {
		s := *r.ahead
		r.ahead = nil
		return s, nil
	}
	return missing(r.last), nil
}

// Notes say what rules have put in place of what the file says.
func (r *Reader) Notes() []string {
	list := r.notes(r.Zone)
	for _, k := range r.rules {
		list = append(list, k.String())
	}
	return list
}
