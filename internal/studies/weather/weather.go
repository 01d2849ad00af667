// Package weather reads what the sun and the wind did, and says what power is to be had of them:
// NSRDB's files, those of NREL's Measurement and Instrumentation Data Center (MIDC), plain CSV, and
// a generator where there is none. Readers stream; their errors name file, line and column.
package weather

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

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
	File string // its name, for errors
	Gaps bool   // intervals that are left out are missing; else they are errors
}

// A Reader reads a file.
type Reader struct {
	Format string         // NSRDB, MIDC or CSV
	Zone   *time.Location // of the file's clock
	// Place is where it was measured, if Known: only NSRDB's files say so.
	Place sun.Place
	Known bool

	opt    Options
	csv    *csv.Reader
	row    []string
	cols   []string
	when   func() (int64, error) // of the row
	fields []field
	peaks  []peak // of these
	step   int64
	last   int64
	rows   int
	ahead  *Sample // behind a gap
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
	dark  bool // small negative values are those of a sensor at night, and 0
}

// A peak is the largest value of a field, and where it stands.
type peak struct {
	value     float64
	line, col int
}

var (
	ghiField = field{name: "irradiance", to: func(s *Sample) *float64 { return &s.GHI }, unit: "W/m²",
		most: 2000, hint: "is it in kJ/m²?", faint: 2, other: "kW/m²"}
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
	text := bufio.NewReader(in)
	if mark, err := text.Peek(3); err == nil && string(mark) == "\ufeff" {
		_, _ = text.Discard(3)
	}
	r := &Reader{opt: opt, csv: csv.NewReader(text), Zone: time.UTC}
	r.csv.FieldsPerRecord, r.csv.ReuseRecord, r.csv.TrimLeadingSpace, r.csv.Comment = -1, true, true, '#'
	if err := r.read(); err != nil {
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("%s: it is empty; it should begin with a line of column names, such as time,ghi,wind", opt.File)
		}
		return nil, err
	}
	r.cols = header(r.row)
	var err error
	switch {
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

func header(row []string) []string {
	cols := slices.Clone(row)
	for i := range cols {
		cols[i] = strings.TrimSpace(cols[i])
	}
	return cols
}

func (r *Reader) errorf(col int, format string, args ...any) error {
	line, at := r.csv.FieldPos(min(col, max(len(r.row)-1, 0)))
	return fmt.Errorf("%s:%d:%d: %s", r.opt.File, line, at, fmt.Sprintf(format, args...))
}

// read reads a row.
func (r *Reader) read() (err error) {
	r.row, err = r.csv.Read()
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("%s:%d:%d: %w", r.opt.File, wrong.Line, wrong.Column, wrong.Err)
	} else if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: it cannot be read: %w", r.opt.File, err)
	}
	return err
}

// text is a field of the row, empty where the row is too short.
func (r *Reader) text(col int) string {
	if col >= len(r.row) {
		return ""
	}
	return strings.TrimSpace(r.row[col])
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
	if err := r.read(); err != nil {
		if errors.Is(err, io.EOF) && r.rows < 2 {
			return Sample{}, fmt.Errorf("%s: it needs at least two rows of values, which give its interval, but has %d", r.opt.File, r.rows)
		}
		if errors.Is(err, io.EOF) {
			err = r.units(err)
		}
		return Sample{}, err
	}
	at, err := r.when()
	if err != nil {
		return Sample{}, err
	}
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
			r.peaks[i].line, r.peaks[i].col = r.csv.FieldPos(f.col)
		}
	}
	clock := func(at int64) string { return time.Unix(at, 0).In(r.Zone).Format("2006-01-02 15:04") }
	step := at - r.last
	switch {
	case r.rows > 0 && step <= 0:
		return Sample{}, r.errorf(0, "%s is not after %s, the row before; rows must be in order of time",
			clock(at), clock(r.last))
	case r.rows == 1 && step > 86400:
		return Sample{}, r.errorf(0, "%s is %v after the row before, but intervals may be at most a day long",
			clock(at), time.Duration(step)*time.Second)
	case r.rows == 1:
		r.step = step
	case r.rows > 1 && step%r.step != 0:
		return Sample{}, r.errorf(0, "%s is %v after the row before, but rows before were %v apart; rows must be equally far apart",
			clock(at), time.Duration(step)*time.Second, time.Duration(r.step)*time.Second)
	case r.rows > 1 && step > r.step && !r.opt.Gaps:
		return Sample{}, r.errorf(0, "there is a gap: the row before is of %s, the next should be of %s, not %s; add it with empty fields, or let gaps count as missing values (--gaps)",
			clock(r.last), clock(r.last+r.step), clock(at))
	case r.rows > 1 && step/r.step > mostMissing:
		return Sample{}, r.errorf(0, "there is a gap of %v before %s; at most %d values may be missing in a row", time.Duration(step)*time.Second, clock(at), mostMissing)
	case r.rows > 1 && step > r.step:
		r.ahead = &s
		return r.fill()
	}
	r.rows++
	r.last = at
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

// mostMissing bounds a gap.
const mostMissing = 100_000

// fill goes on through a gap to the sample behind it.
func (r *Reader) fill() (Sample, error) {
	r.last += r.step
	if r.last == r.ahead.At {
		s := *r.ahead
		r.ahead = nil
		r.rows++
		return s, nil
	}
	return missing(r.last), nil
}

// number reads a field: NaN where it is empty, or has a value that stands for none.
func (r *Reader) number(f field) (float64, error) {
	text := r.text(f.col)
	if text == "" || strings.EqualFold(text, "nan") {
		return math.NaN(), nil
	}
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return 0, r.errorf(f.col, "%q is not a number; write the %s%s, or nothing where it is missing", text,
			f.name, in(f.unit))
	case x == -999 || x == -9999 || x == -99999 || x == -6999 || x == -7999:
		return math.NaN(), nil
	case math.IsInf(x, 0):
		return 0, r.errorf(f.col, "the %s is infinite; leave the field empty where it is missing", f.name)
	case x < 0 && f.dark && x > -30:
		return 0, nil
	case x < 0:
		return 0, r.errorf(f.col, "the %s is %.6g, it must not be negative", f.name, x)
	case x > f.most:
		return 0, r.errorf(f.col, "the %s is %.6g%s, it must be at most %v; %s", f.name, x,
			strings.TrimSuffix(" "+f.unit, " "), f.most, f.hint)
	}
	return x, nil
}

func in(unit string) string {
	if unit == "" {
		return ""
	}
	return " in " + unit
}
