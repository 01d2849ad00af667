package main

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/internal/maths/sun"
	"github.com/slackline/slackline/internal/studies/weather"
	"github.com/slackline/slackline/units"
)

func newForecast(o *options) *cobra.Command {
	return group(&cobra.Command{
		Use:     "forecast",
		Short:   "Forecast green power, the capacity that it leaves, and the capacity that deadlines need",
		Long:    "Forecasts the power of panels and wind turbines, and makes up weather where there is none.",
		Example: "  slackline forecast power examples/weather.csv --horizon 2h",
	}, newForecastPower(o), newForecastCapacity(o), newForecastWeather())
}

// powerFlags are the flags of forecast power, as they are written.
type powerFlags struct {
	at, horizon, interval, by, grid, site, panels, turbine, trace string
	window                                                        int
	gaps                                                          bool
	seed                                                          uint64
}

func newForecastPower(o *options) *cobra.Command {
	var f powerFlags
	cmd := &cobra.Command{
		Use:   "power [FILE]",
		Short: "Forecast the power of sun and wind, with a band, from past weather",
		Long: `Forecasts green power from a file of weather: one of NREL's National Solar Radiation Database (NSRDB), of its Measurement and
Instrumentation Data Center (MIDC), or CSV with a column time (2030-01-31T18:00:00+01:00) and any of ghi (irradiance in W/m²),
clear (that under a clear sky), cloud (cover of the sky, from 0 to 1) and wind (m/s). The name "-" stands for standard input.
Without a file, weather is made up from --seed, and the result says so.

The table has the last values, the expected values with their band, the actual values if the file has them, and the errors
of all earlier forecasts beside those of persistence, which expects the last value. Capacity is the part of a cluster that
can run: the grid always carries --grid of it, green power the rest. Methods (--by):

` + methodList(),
		Example: `  slackline forecast power examples/weather.csv --at 2030-06-03T11:00:00Z --horizon 2h
  slackline forecast power examples/weather.csv --by weather --horizon 1h
  slackline forecast power examples/weather.csv --by arima -o json
  slackline forecast power examples/weather.csv --turbine 0 --grid 30% --trace slots.csv
  slackline forecast power --seed 7`,
		Args: between(0, 1, "a file of weather"),
		RunE: func(cmd *cobra.Command, args []string) error {
			file := ""
			if len(args) == 1 {
				file = args[0]
			}
			over := reading()
			out, err := f.foresee(cmd, file)
			over()
			if err != nil {
				return err
			}
			tellNotes(cmd, out.Notes)
			if err := writeBeside(cmd, "trace", f.trace, "a trace of capacity", out.WriteTrace); err != nil {
				return err
			}
			return o.result(cmd.OutOrStdout(), out, out.WriteTable)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.at, "at", "", "when the forecast is made, such as 2030-06-03T11:00:00Z, or a span from the first value, such as 36h (default: after the last value)")
	fl.StringVar(&f.horizon, "horizon", "30m",
		"how far it looks ahead; the paper's is three intervals of ten minutes")
	fl.StringVar(&f.interval, "interval", "", "length of an interval, a multiple of that of the file (default 10m, or that of the file where it is longer)")
	fl.StringVar(&f.by, "by", weather.Methods[0].Name, "method: "+weather.MethodNames())
	fl.IntVar(&f.window, "window", 144, "number of intervals that models are fitted to")
	fl.StringVar(&f.grid, "grid", "50%", "part of the cluster that the grid always carries")
	fl.StringVar(&f.site, "site", "", "latitude and longitude in degrees, such as 39.74,-105.18 (default: what the file says; for made-up weather 40,-105)")
	fl.StringVar(&f.panels, "panels", "1kW", "nominal power of all panels; 0 for none")
	fl.StringVar(&f.turbine, "turbine", "1kW",
		"nominal power of the wind turbine, which starts at 2.5 m/s, reaches it at 11 m/s and stops at 25 m/s; 0 for none")
	fl.BoolVar(&f.gaps, "gaps", false, "let intervals that the file leaves out count as missing values")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of weather that is made up where there is no file")
	bindFile(fl, &f.trace, "trace", "write the past capacity to this CSV file, for cluster.slots of scenarios")
	names := each.Of(weather.Methods, func(m weather.Method) string { return m.Name + "\t" + m.Doc })
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	return o.bindOutput(cmd, "csv")
}

func methodList() (text string) {
	for _, m := range weather.Methods {
		text += fmt.Sprintf("  %-13s %s\n", m.Name, m.Doc)
	}
	return text
}

// tellNotes says what was filled in, moved or left out as weather was read.
func tellNotes(cmd *cobra.Command, notes []string) {
	for _, note := range notes {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning:", note)
	}
}

// foresee reads the flags and the file.
func (f *powerFlags) foresee(cmd *cobra.Command, file string) (*weather.Outlook, error) {
	q, err := f.question()
	if err != nil {
		return nil, err
	}
	interval, err := f.span("interval", f.interval, 0)
	if err != nil {
		return nil, err
	}
	horizon, err := f.span("horizon", f.horizon, time.Second)
	if err != nil {
		return nil, err
	}
	s, err := f.read(cmd, file, interval)
	if err != nil {
		return nil, err
	}
	if q.At, err = f.when(s); err != nil {
		return nil, err
	}
	const most = 1000
	if q.Horizon = int((horizon + s.Step - 1) / s.Step); q.Horizon > most {
		return nil, fmt.Errorf("--horizon %s is %d intervals of %v, it must be at most %d", f.horizon,
			q.Horizon, units.Duration(s.Step), most)
	}
	return weather.Foresee(s, q)
}

// question is what does not need the file.
func (f *powerFlags) question() (q weather.Question, err error) {
	if at, hint := spelling.Find(f.by, weather.Methods, func(m weather.Method) string { return m.Name }); at < 0 {
		return q, fmt.Errorf("--by: there is no method %q%s", f.by, hint)
	}
	q.By, q.Window = f.by, f.window
	if f.window < 12 || f.window > 100_000 {
		return q, fmt.Errorf("--window is %d, it must be from 12 to 100000", f.window)
	}
	digits, percent := strings.CutSuffix(f.grid, "%")
	q.Grid, err = strconv.ParseFloat(digits, 64)
	if percent {
		q.Grid /= 100
	}
	if err != nil || !(q.Grid >= 0 && q.Grid < 1) {
		return q, fmt.Errorf("--grid is %q, it must be a part from 0 to below 1, such as 50%% or 0.5", f.grid)
	}
	var watts [2]float64
	for i, flag := range []struct{ name, text string }{{"panels", f.panels}, {"turbine", f.turbine}} {
		var p config.Power
		x, err := strconv.ParseFloat(flag.text, 64)
		if err != nil {
			err = p.UnmarshalText([]byte(flag.text))
			x = float64(p)
		}
		if err != nil || !(x >= 0) || x > 1e12 {
			return q, fmt.Errorf("--%s is %q, it must be a power, such as 1kW, or 0 for none", flag.name,
				flag.text)
		}
		watts[i] = x
	}
	q.Plant.Panels.Peak = watts[0]
	micro := sun.Micro()
	q.Plant.Turbine = sun.Cubic(watts[1], micro.CutIn, micro.Rated, micro.CutOut)
	return q, nil
}

func (f *powerFlags) span(flag, text string, least time.Duration) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := units.ParseDuration(text)
	if err != nil || time.Duration(d) < least || d <= 0 || time.Duration(d)%time.Second != 0 {
		return 0, fmt.Errorf("--%s is %q, it must be a span of whole seconds, such as 10m", flag, text)
	}
	return time.Duration(d), nil
}

// read reads the weather, or makes it up.
func (f *powerFlags) read(cmd *cobra.Command, file string, interval time.Duration) (*weather.Series, error) {
	place, err := siteOf(f.site)
	if err != nil {
		return nil, err
	}
	const usual = 10 * time.Minute
	if file == "" {
		interval = cmp.Or(interval, usual)
		if f.gaps {
			return nil, fmt.Errorf("--gaps has no effect without a file: made-up weather has no gaps")
		}
		g := madeUp(f.seed, place, interval, 3)
		return g.Series(), nil
	}
	if cmd.Flags().Changed("seed") {
		return nil, fmt.Errorf("--seed has no effect with a file: it seeds made-up weather")
	}
	in, name, err := openText(cmd, file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return weather.Read(in, weather.Options{File: name, Gaps: f.gaps, GapsBy: "--gaps", Site: place}, interval, usual)
}

// madeUp is weather of so many days in the summer of 2030.
func madeUp(seed uint64, place *sun.Place, interval time.Duration, days int) *weather.Generator {
	place = cmp.Or(place, &sun.Place{Latitude: 40, Longitude: -105})
	start := time.Date(2030, 6, 1, 0, 0, 0, 0, time.UTC)
	return &weather.Generator{Seed: seed, Place: *place, Start: start, Step: interval,
		N: int(time.Duration(days) * 24 * time.Hour / interval)}
}

// siteOf is what --site says, nil where it is not given.
func siteOf(site string) (*sun.Place, error) {
	if site == "" {
		return nil, nil
	}
	north, east, ok := strings.Cut(site, ",")
	latitude, err := strconv.ParseFloat(strings.TrimSpace(north), 64)
	longitude, err2 := strconv.ParseFloat(strings.TrimSpace(east), 64)
	if !ok || err != nil || err2 != nil || !(math.Abs(latitude) <= 90) || !(math.Abs(longitude) <= 180) {
		return nil, fmt.Errorf("--site is %q, it must be latitude and longitude in degrees, such as 39.74,-105.18", site)
	}
	return &sun.Place{Latitude: latitude, Longitude: longitude}, nil
}

// when is the time that --at says.
func (f *powerFlags) when(s *weather.Series) (time.Time, error) {
	if f.at == "" {
		return time.Time{}, nil
	}
	if t, err := config.ParseInstant(f.at); err == nil {
		return t, nil
	}
	if d, err := units.ParseDuration(f.at); err == nil && d > 0 && len(s.Samples) > 0 {
		return time.Unix(s.Samples[0].At, 0).Add(time.Duration(d)), nil
	}
	return time.Time{}, fmt.Errorf("--at is %q, it must be a time with a zone, such as 2030-06-03T11:00:00Z, or a span from the first value, such as 36h", f.at)
}

func newForecastWeather() *cobra.Command {
	var seed uint64
	var days int
	var site, interval, to string
	cmd := &cobra.Command{
		Use:   "weather",
		Short: "Make up weather, as CSV",
		Long: `Makes up weather as CSV: irradiance of a clear sky, and clouds and wind that wander around daily means, from 1 June 2030,
0:00 UTC. The same seed gives the same weather. It looks like weather, but was measured nowhere.`,
		Example: "  slackline forecast weather --days 2 --seed 7 --to weather.csv",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			place, err := siteOf(site)
			if err != nil {
				return err
			}
			d, err := units.ParseDuration(interval)
			if err != nil || d < units.Minute || units.Hour%d != 0 {
				return fmt.Errorf("--interval is %q, it must be a span from 1m to 1h that divides an hour", interval)
			}
			if days < 1 || days > 3660 {
				return fmt.Errorf("--days is %d, it must be from 1 to 3660", days)
			}
			out, err := create(cmd, "to", to, "weather")
			if err != nil {
				return err
			}
			s := madeUp(seed, place, time.Duration(d), days).Series()
			return out.finish(s.Write(out), fmt.Sprintf("%s of weather, made up by seed %d", units.Count(days,
				"day"), seed))
		},
	}
	fl := cmd.Flags()
	fl.Uint64Var(&seed, "seed", 1, "seed of everything random")
	fl.IntVar(&days, "days", 3, "how many days")
	fl.StringVar(&interval, "interval", "10m", "length of an interval")
	fl.StringVar(&site, "site", "", "latitude and longitude in degrees (default 40,-105)")
	bindFile(fl, &to, "to", "write to this file instead of standard output")
	return cmd
}
