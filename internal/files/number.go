package files

import (
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

// Number reads a field of the row that was read last. It is NaN where a value is missing: where the field is empty, or
// says so by a word; or, outside of what is likely, by a number that stands for no value. Whose number that is, by says
// then. A number may have its unit where read takes one; what is right instead, an error says.
func (t *Table) Number(col int, low, high float64, read func(string) (float64, error), right string) (x float64, by string, err error) {
	text := ""
	if col < len(t.row) {
		text = t.row[col]
	}
	for _, word := range absentTexts {
		if strings.EqualFold(text, word) {
			return math.NaN(), "", nil
		}
	}
	if x, err = read(text); err != nil {
		if point := strings.Replace(text, ",", ".", 1); point != text {
			if _, err := read(point); err == nil {
				return 0, "", t.Errorf(col, "%q has a decimal comma; write %s", text, point)
			}
		}
		return 0, "", t.Errorf(col, "%q is not a number; %s", text, right)
	}
	if x >= low && x <= high {
		return x, "", nil
	}
	for _, a := range absentNumbers {
		if x == a.x {
			return math.NaN(), a.by, nil
		}
	}
	return x, "", nil
}

// Float reads a number without a unit.
func Float(text string) (float64, error) { return strconv.ParseFloat(text, 64) }

// Separated refuses a heading whose names stand apart by something else than commas.
func (t *Table) Separated() error {
	if len(t.row) == 1 && strings.ContainsAny(t.row[0], ";\t") {
		return t.Errorf(0, "its columns are not separated by commas; save it with commas between them, and with points in numbers")
	}
	return nil
}
