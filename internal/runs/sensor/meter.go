package sensor

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/units"
)

// Meter sums up what the machine has used while a run lasts, by all counters, or gauges of power, that a source
// has: those of the processor (RAPL), a file that some program writes, or what Prometheus answers. A counter may
// begin again; one or two values below those before and behind them, or above both, where these do not fall (by half of
// its range it begins again), are wrong ones, and do not count, nor does a first one of 0. Where it steps back by less
// than half of its range, or of where it was, nothing counts until it is there again. One that stands still, jumps,
// ends, or says something else than a number is not believed, and neither are the others.
type Meter struct {
	Detail string // what it reads, for people
	watts  bool   // its values are watts, not joules since some time
	late   bool   // all of them are read at the end
	read   func(ctx context.Context) ([]reading, error)
	limit  time.Duration // so long an answer may take
	began  time.Time
	ended  time.Time // zero: it has not
	of     []counter
	bad    error  // why it is not believed
	odd    string // what of it does not count
}

// reading is a value that a meter tells of something. A counter begins again above its span, or after 0.
type reading struct {
	of      string
	at      time.Time
	x, span float64
}

type counter struct {
	reading
	next         []reading // the last two, not taken in yet
	sum, covered float64   // joules, and seconds, of the run
}

// mostWatts is more than a machine draws, or its processor.
const mostWatts = 20000

// RAPL reads the energy counters of the processor packages ("running average power limit") below a folder, nil
// where there are none, or they may not be read.
func RAPL(root string) *Meter {
	var dirs, names []string
	all, _ := filepath.Glob(filepath.Join(root, "intel-rapl:*"))
	for _, dir := range all {
		if name, _ := os.ReadFile(filepath.Join(dir, "name")); strings.HasPrefix(string(name), "package-") {
			// others are parts of these
			dirs, names = append(dirs, dir), append(names, strings.TrimSpace(string(name)))
		}
	}
	m := &Meter{Detail: strings.Join(names, ", "), read: func(context.Context) (list []reading, err error) {
		for i, dir := range dirs {
			now, err1 := joules(filepath.Join(dir, "energy_uj"))
			span, err2 := joules(filepath.Join(dir, "max_energy_range_uj"))
			if err1 != nil || err2 != nil {
				return nil, fmt.Errorf("the counter of %s could not be read any more", names[i])
			}
			list = append(list, reading{of: names[i], x: now, span: span})
		}
		return list, nil
	}}
	if m.Look(context.Background()); runtime.GOOS != "linux" || len(dirs) == 0 || m.bad != nil {
		return nil
	}
	return m
}

func joules(path string) (float64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	micro, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return float64(micro) / 1e6, err
}

// OpenMeter opens what a user names: FILE.csv, or watts=URL or joules=URL, where the URL is
// http://host:9090?query=… of a Prometheus; nil for nothing. The error is about what is wrong already.
func OpenMeter(ctx context.Context, text string) (*Meter, error) {
	m := &Meter{Detail: text, limit: answerTime}
	unit, at, _ := strings.Cut(text, "=")
	u, err := url.Parse(at)
	switch {
	case text == "":
		return nil, nil
	case strings.HasSuffix(text, ".csv"):
		m.late, m.read, m.began = true, m.file, time.Now()
		_, err = m.file(ctx)
		return m, err
	case unit != "watts" && unit != "joules" || err != nil || u.Host == "" || u.Query().Get("query") == "":
		return nil, fmt.Errorf("%q is no meter; write a file such as power.csv, or joules=http://host:9090?query=… for Prometheus, or watts=…", text)
	}
	query := u.Query().Get("query")
	u.RawQuery, m.watts = "", unit == "watts"
	m.read = func(ctx context.Context) ([]reading, error) { return values(ctx, u.String(), query) }
	m.Look(ctx)
	return m, m.bad
}

// Look reads the source, but not a file before the end.
func (m *Meter) Look(ctx context.Context) {
	if m.bad != nil || m.late && m.ended.IsZero() {
		return
	}
	within, cancel := context.WithTimeout(ctx, m.limit)
	defer cancel()
	list, err := m.read(within)
	now := time.Now()
	switch {
	case ctx.Err() != nil:
		return // the run has ended, and asks once more
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("%s has not answered within %v", m.Detail, m.limit)
	case err == nil && len(list) < max(1, len(m.of)):
		err = fmt.Errorf("%s tells %d values, %d are wanted", m.Detail, len(list), max(1, len(m.of)))
	}
	if m.bad = err; m.began.IsZero() {
		m.began = now
	}
	if !m.late {
		m.ended = now
	}
	for _, r := range list {
		if !m.late {
			r.at = now
		}
		m.take(r)
	}
}

// take takes in a value: not until two more have come, which say whether it is wrong. Where the first is 0, what was
// used up to the next may be more than that of the run.
func (m *Meter) take(r reading) {
	i := slices.IndexFunc(m.of, func(c counter) bool { return c.of == r.of })
	if i < 0 {
		m.of = append(m.of, counter{reading: r})
		m.count(&m.of[len(m.of)-1], r)
		return
	}
	c := &m.of[i]
	c.next = slices.DeleteFunc(c.next, func(o reading) bool {
		wrong := !m.watts && r.x >= c.x && (o.x < c.x || o.x > r.x && (r.span == 0 || o.x-r.x < r.span/2))
		if wrong {
			m.odd = cmp.Or(m.odd, fmt.Sprintf("; the counter of %s told %v J between %v and %v J, which does not count", c.of, o.x, c.x, r.x))
		}
		return wrong
	})
	if c.next = append(c.next, r); len(c.next) == 3 {
		if first := c.next[0]; !m.watts && c.covered == 0 && c.x == 0 && first.x > 0 {
			m.odd, c.reading = cmp.Or(m.odd, fmt.Sprintf("; the counter of %s told 0 J first, which does not count", c.of)), first
		}
		m.count(c, c.next[0])
		c.next = c.next[1:]
	}
}

// count counts a value. Of what was used since the last one, that part counts which lies in the run.
func (m *Meter) count(c *counter, r reading) {
	span, used := r.at.Sub(c.at).Seconds(), r.x-c.x
	switch {
	case m.watts:
		used = (r.x + c.x) / 2 * span
	case used < 0 && -used < max(r.span, c.x)/2: // a wrong value, this or the last: it counts on where it has been
		m.odd = cmp.Or(m.odd, fmt.Sprintf("; the counter of %s stepped back from %v to %v J, which does not count", c.of, c.x, r.x))
		used, r.x = 0, c.x
	case used < 0: // it began again
		used += cmp.Or(r.span, c.x)
	}
	from, to := max(0, m.began.Sub(c.at).Seconds()), span-max(0, r.at.Sub(m.ended).Seconds())
	switch {
	case m.bad != nil:
	case !(r.x >= 0) || m.watts && r.x > mostWatts:
		m.bad = fmt.Errorf("%s told %v", c.of, r.x)
	case used < 0 || used > mostWatts*(1+span):
		m.bad = fmt.Errorf("the counter of %s jumped from %v to %v J", c.of, c.x, r.x)
	case to > from:
		c.sum, c.covered = c.sum+used*(to-from)/span, c.covered+to-from
	}
	c.reading = r
}

// End returns the joules of the run, or says why nobody knows them. What no value covers, up to half of the run,
// counts as the rest of it.
func (m *Meter) End(ctx context.Context) (joules float64, why error) {
	if m.ended.IsZero() {
		m.ended = time.Now()
	}
	m.Look(ctx)
	took := m.ended.Sub(m.began).Seconds()
	for _, c := range m.of {
		for _, last := range c.next {
			m.count(&c, last)
		}
		switch {
		case m.bad != nil:
		case c.covered < took/2:
			m.bad = fmt.Errorf("%s tells of %.3g s of the run, which took %.3g s", c.of, c.covered, took)
		case c.sum == 0:
			m.bad = fmt.Errorf("the counter of %s stood still", c.of)
		default:
			joules += c.sum / units.Rounded(c.covered/took)
		}
	}
	m.Detail, m.odd = m.Detail+m.odd, ""
	return joules, m.bad
}

// file reads a CSV file: columns time (with a zone, or seconds since 1970), watts or joules, and node where there are
// several.
func (m *Meter) file(context.Context) (list []reading, err error) {
	f, err := files.Open(m.Detail)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	// Who writes it may be within a line: that counts once it has ended.
	t := files.NewTable(m.Detail, bytes.NewReader(text[:bytes.LastIndexByte(text, '\n')+1]))
	if _, err := t.Next(); err != nil {
		return nil, fmt.Errorf("%s: it is empty; its first line must name its columns, such as time,watts", m.Detail)
	}
	cols := slices.Clone(t.Heading())
	when, node, value := slices.Index(cols, "time"), slices.Index(cols, "node"), slices.Index(cols, "joules")
	if m.watts = value < 0; m.watts {
		value = slices.Index(cols, "watts")
	}
	if when < 0 || value < 0 {
		return nil, t.Errorf(0, "its columns are %s; there must be time, one of watts and joules, and node where there are several", strings.Join(cols, ", "))
	}
	last := map[string]time.Time{}
	for {
		row, err := t.Next()
		if errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		r := reading{of: m.Detail}
		if node >= 0 {
			r.of = row[node]
		}
		if seconds, no := strconv.ParseFloat(row[when], 64); no == nil && seconds >= 0 && seconds < 1e10 {
			r.at = time.Unix(0, int64(seconds*1e9))
		} else if r.at, err = config.ParseInstant(row[when]); err != nil {
			return nil, t.Errorf(when, "%q is no time; write seconds since 1970, or %s", row[when], time.Now().Format(time.RFC3339))
		}
		if r.x, _, err = t.Number(value, 0, math.MaxFloat64, files.Float, "write "+cols[value]+" as a number"); err != nil || !(r.x >= 0) {
			return nil, cmp.Or(err, t.Errorf(value, "%s is %q, it must be a number from 0", cols[value], row[value]))
		}
		if !r.at.After(last[r.of]) {
			return nil, t.Errorf(when, "%s is not after the row before", row[when])
		}
		last[r.of], list = r.at, append(list, r)
	}
}
