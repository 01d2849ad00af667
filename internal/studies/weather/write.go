package weather

import (
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
	"time"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/forecast"
	"github.com/slackline/slackline/internal/maths/sun"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/units"
)

// Schema is the JSON Schema of an outlook.
func Schema() ([]byte, error) {
	return config.Schema(reflect.TypeFor[Outlook](), "what slackline forecast power -o json prints")
}

// before is how many intervals of the history the table shows.
const before = 6

// WriteTable prints the last values, what is expected, and how forecasts turned out before.
func (o *Outlook) WriteTable(w io.Writer) error {
	clock := func(t time.Time) string { return t.Format("2006-01-02 15:04") }
	t := &report.Grid{Title: fmt.Sprintf("%s: power from %s on, by %s\n%s of green power at most, the grid carries %.0f %% of the cluster",
		o.Source, o.At.Format(time.RFC3339), o.By, watts(o.Peak), 100*o.Grid)}
	t.Add("interval", ">power", ">low", ">high", ">capacity", ">from", ">to", ">covered", ">came")
	for _, v := range o.History[max(0, len(o.History)-before):] {
		power, capacity := "missing", ""
		if v.Power != nil {
			power, capacity = watts(*v.Power), percent(o.capacity(*v.Power))
		}
		t.Add(clock(v.At), power, "", "", capacity, "", "", "", "")
	}
	bare := 0
	for _, e := range o.Forecast {
		covered, came := "", ""
		if e.Judged > 0 {
			covered = percent(e.Covered)
		}
		var band [4]string // ends of power and of capacity
		if e.Low != nil {
			band = [...]string{watts(*e.Low), watts(*e.High), percent(*e.CapLow), percent(*e.CapHigh)}
		} else {
			bare++
		}
		if e.Came != nil {
			came = watts(*e.Came)
		}
		t.Add(clock(e.At), watts(e.Power), band[0], band[1], percent(e.Capacity), band[2], band[3], covered, came)
	}
	if err := t.Write(w); err != nil {
		return err
	}
	if bare < len(o.Forecast) {
		fmt.Fprintln(w, "low and high: the band that should hold 90 % of all values; covered: how many it did hold of those before")
	}
	if bare > 0 {
		fmt.Fprintf(w, "no band for %s: a band of 90 %% needs %d earlier forecasts as far ahead that a value came for, and these have fewer\n",
			units.Count(bare, "interval"), forecast.Evidence)
	}
	methods := o.beside()
	e := &report.Grid{Title: fmt.Sprintf("\nerrors of earlier forecasts: root mean square, as part of the mean power before, %s", watts(o.Mean))}
	e.Add(append([]string{">ahead", ">forecasts"}, each.Of(methods, func(m string) string { return ">" + m })...)...)
	for _, x := range o.Errors {
		by := each.Of(methods, func(m string) string { return percent(x.Methods[m]) })
		e.Add(append([]string{fmt.Sprint(x.Ahead), fmt.Sprint(x.Judged)}, by...)...)
	}
	return e.Write(w)
}

func (o *Outlook) capacity(power float64) float64 {
	return sun.Mix{Grid: o.Grid, Green: o.Peak}.Capacity(power)
}

func watts(x float64) string {
	if x >= 9999.5 {
		return fmt.Sprintf("%.1f kW", x/1000)
	}
	return fmt.Sprintf("%.0f W", x)
}

func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// WriteCSV writes what is expected, a row for each interval.
func (o *Outlook) WriteCSV(w io.Writer) error {
	return csv.NewWriter(w).WriteAll(report.Rows(o.Forecast))
}

// WriteTrace writes the capacity that the history had, for cluster.slots of scenarios: from its
// first value on, which must not be missing. A missing one leaves the capacity as it was.
func (o *Outlook) WriteTrace(w io.Writer) error {
	c := csv.NewWriter(w)
	rows := [][]string{{"at", "capacity"}}
	for _, v := range o.History {
		if v.Power != nil {
			rows = append(rows, []string{fmt.Sprint(v.At.Sub(o.History[0].At).Seconds()), fmt.Sprintf("%.4f",
				o.capacity(*v.Power))})
		}
	}
	return c.WriteAll(rows)
}
