package weather

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// absentTexts stand for a missing value, in any case.
var absentTexts = []string{"", "nan", "-nan", "na", "n/a", "#n/a", "null", "none", "nil", "m", "missing", "-", "--", "---", ".", "?", "*", `\n`}

// absentNumbers stand for a missing value in files of these sources, where they cannot be a value: 999
// W/m² are a bright noon, 999 m/s are no wind.
var absentNumbers = []struct {
	x  float64
	by string
}{
	{-999, "NSRDB, BSRN"}, {-9999, "MIDC, SRML"}, {-99999, "MIDC"}, {-9999.9, "SURFRAD"}, {-99999.9, "SURFRAD"}, {-999.9, "SURFRAD"},
	{-99, "BSRN"}, {-99.9, "BSRN"}, {-9900, "NSIDC"},
	{9999, "EPW"}, {999, "EPW"}, {99999, "EPW"}, {999.9, "NOAA ISD"}, {9999.9, "NOAA GSOD"},
	{-6999, "Campbell loggers"}, {6999, "Campbell loggers"}, {-7999, "Campbell loggers"}, {7999, "Campbell loggers"},
	{-32768, "netCDF"}, {-32767, "netCDF"}, {32767, "netCDF"}, {1e20, "CMIP"}, {9.96921e36, "netCDF"},
}

// A filled value is one that a rule has put in place of what the file says.
type filled struct {
	field, text, why string
	n                int
}

// fill counts it.
func (r *Reader) filled(f field, text, why string) {
	for i := range r.rules {
		if k := &r.rules[i]; k.field == f.name && k.text == text {
			k.n++
			return
		}
	}
	r.rules = append(r.rules, filled{f.name, text, why, 1})
}

// String says what was done, and how often.
func (k filled) String() string {
	times := "once"
	if k.n > 1 {
		times = fmt.Sprintf("%d times", k.n)
	}
	return fmt.Sprintf("%s is %s %s, which %s", k.field, k.text, times, k.why)
}

// number reads a field: NaN where it is empty, or has a value that stands for none.
func (r *Reader) number(f field) (float64, error) {
	text := r.text(f.col)
	for _, t := range absentTexts {
		if strings.EqualFold(text, t) {
			return math.NaN(), nil
		}
	}
	x, err := strconv.ParseFloat(text, 64)
	if point := strings.Replace(text, ",", ".", 1); err != nil && point != text {
		if _, err := strconv.ParseFloat(point, 64); err == nil {
			return 0, r.errorf(f.col, "%q has a decimal comma; write %s", text, point)
		}
	}
	if err != nil {
		return 0, r.errorf(f.col, "%q is not a number; write the %s%s, or nothing where it is missing", text, f.name, in(f.unit))
	}
	if x >= 0 && x <= f.most {
		return x, nil
	}
	for _, a := range absentNumbers {
		if x == a.x {
			r.filled(f, text, "stands for no value ("+a.by+"): missing")
			return math.NaN(), nil
		}
	}
	is := fmt.Sprintf("the %s is %.6g%s", f.name, x, strings.TrimSuffix(" "+f.unit, " "))
	const cure = "leave the field empty where it is missing"
	switch {
	case math.IsInf(x, 0) || math.IsNaN(x):
		return 0, r.errorf(f.col, "the %s is infinite; %s", f.name, cure)
	case x < 0 && x > f.dark:
		r.filled(f, "a little below 0", "a sensor gives at night: read as 0")
		return 0, nil
	case x < 0:
		return 0, r.errorf(f.col, "%s, it must not be negative; if that stands for no value, %s", is, cure)
	case len(text) > 2 && strings.Trim(text, text[:1]) == "": // all digits alike
		return 0, r.errorf(f.col, "%s, it must be at most %v; it probably stands for no value: %s", is, f.most, cure)
	}
	return 0, r.errorf(f.col, "%s, it must be at most %v; %s", is, f.most, f.hint)
}

func in(unit string) string {
	if unit == "" {
		return ""
	}
	return " in " + unit
}
