package weather

import (
	"fmt"
	"time"
)

// mostMissing bounds a gap.
const mostMissing = 100_000

// A calendar puts rows in order of time. It knows two habits of those who hand out weather: a typical
// year is made of months of different years, and is read as one year, that of its first row; and
// calendars of 365 days, such as NSRDB's, leave 29 February out, which is missing then.
type calendar struct {
	rows        int
	first, last int64 // as they are read
	step        int64
	month       time.Month // of the row before
	shift       int        // years from those of rows to the one that is read
	typical     bool
	leaps       []int // years whose leap day is left out
	over        int   // rows of a leap day that the year has not
}

// moved is the same day so many years later; it is not ok if there is none.
func moved(t time.Time, years int) (time.Time, bool) {
	m := time.Date(t.Year()+years, t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, t.Location())
	return m, m.Day() == t.Day()
}

// leap is the year whose leap day lies between two rows, and nothing else does; else 0.
func (c *calendar) leap(at time.Time) int {
	from := time.Unix(c.last+c.step, 0).In(at.Location())
	_, month, day := from.Date()
	begins := int64(from.Hour()*3600+from.Minute()*60+from.Second()) < c.step
	if month == time.February && day == 29 && begins && at.Unix()-c.last == c.step+86400 {
		return from.Year()
	}
	return 0
}

// place is when a row is read, by what it says. A row of a leap day that is not there is left out.
func (c *calendar) place(row time.Time) (at time.Time, there bool) {
	at, there = moved(row, c.shift)
	if !there {
		c.over++
		return at, false
	}
	if c.rows > 1 && at.Unix()-c.last != c.step && row.Month() != c.month {
		year := time.Unix(c.last+c.step, 0).In(row.Location()).Year()
		if t, ok := moved(row, year-row.Year()); ok && year-row.Year() != c.shift && (t.Unix()-c.last == c.step || c.leap(t) > 0) {
			at, c.shift, c.typical = t, year-row.Year(), true
		}
	}
	return at, true
}

// follow takes a row into the calendar, and says how many intervals before it are missing.
func (r *Reader) follow(row, at time.Time) (missing int64, err error) {
	c := &r.calendar
	clock := func(at int64) string { return time.Unix(at, 0).In(r.Zone).Format("2006-01-02 15:04") }
	span := func(seconds int64) time.Duration { return time.Duration(seconds) * time.Second }
	now := at.Unix()
	step := now - c.last
	switch {
	case c.rows == 0:
		c.first = now
	case step <= 0:
		return 0, r.errorf(0, "%s is not after %s, the row before; rows must be in order of time", clock(now), clock(c.last))
	case c.rows == 1 && step > 86400:
		return 0, r.errorf(0, "%s is %v after the row before, but intervals may be at most a day long", clock(now), span(step))
	case c.rows == 1:
		c.step = step
	case step%c.step != 0:
		return 0, r.errorf(0, "%s is %v after the row before, but rows before were %v apart; rows must be equally far apart",
			clock(now), span(step), span(c.step))
	case c.typical && now-c.first >= 366*86400:
		return 0, r.errorf(0, "up to here it is a typical year, made of months of different years, and a year ends here; leave out the rows behind it")
	case c.leap(at) > 0:
		c.leaps = append(c.leaps, c.leap(at))
		missing = step/c.step - 1
	case step > c.step && !r.opt.Gaps:
		allow := ""
		if r.opt.GapsBy != "" {
			allow = ", or let gaps count as missing values (" + r.opt.GapsBy + ")"
		}
		return 0, r.errorf(0, "there is a gap: the row before is of %s, the next should be of %s, not %s; add it with empty fields%s",
			clock(c.last), clock(c.last+c.step), clock(now), allow)
	case step/c.step > mostMissing:
		return 0, r.errorf(0, "there is a gap of %v before %s; at most %d values may be missing in a row", span(step), clock(now), mostMissing)
	default:
		missing = step/c.step - 1
	}
	c.rows++
	c.month = row.Month()
	if missing == 0 {
		c.last = now
	}
	return missing, nil
}

// notes say what was made of the rows.
func (c *calendar) notes(zone *time.Location) (list []string) {
	if c.typical {
		list = append(list, fmt.Sprintf("it is a typical year, made of months of different years: all are read as %d, the year of the first row",
			time.Unix(c.first, 0).In(zone).Year()))
	}
	for _, year := range c.leaps {
		list = append(list, fmt.Sprintf("29 February %d is left out, as by calendars of 365 days: its values are missing", year))
	}
	if c.over > 0 {
		list = append(list, fmt.Sprintf("%d rows of 29 February are left out: the year that is read has no such day", c.over))
	}
	return list
}
