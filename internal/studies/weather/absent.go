package weather

import (
	"fmt"
	"math"
	"strings"

	"github.com/slackline/slackline/internal/files"
)

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
	x, by, err := r.csv.Number(f.col, 0, f.most, files.Float, fmt.Sprintf("write the %s%s, or nothing where it is missing", f.name, in(f.unit)))
	if by != "" {
		r.filled(f, text, "stands for no value ("+by+"): missing")
	}
	if err != nil || math.IsNaN(x) || x >= 0 && x <= f.most {
		return x, err
	}
	is := fmt.Sprintf("the %s is %.6g%s", f.name, x, strings.TrimSuffix(" "+f.unit, " "))
	const cure = "leave the field empty where it is missing"
	switch {
	case math.IsInf(x, 0):
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
