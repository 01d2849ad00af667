package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // zones by name, where a system has none

	"github.com/slackline/slackline/internal/maths/each"
)

// Instant is a time of day with its zone.
type Instant struct{ time.Time }

// UnmarshalText reads what ParseInstant does.
func (i *Instant) UnmarshalText(text []byte) (err error) {
	i.Time, err = ParseInstant(string(text))
	return err
}

// Form is how instants are written.
func (Instant) Form() Form {
	return Form{Wanted: "a time with a zone, such as " + instant + " or " + inZone,
		Pattern: DateTime, Examples: []string{instant, inZone}}
}

const instant, inZone = "2030-01-31T18:00:00+01:00", "2030-01-31T18:00 Europe/Berlin"

// What is wrong with a text that is no instant: it is no time at all, or one without a zone.
var (
	ErrNoInstant = errors.New("not a time with a zone")
	ErrNoZone    = errors.New("no time zone")
)

// ParseInstant reads an instant: date and time, parted by a T or a blank, and an offset, the name of a
// zone, or both. With a name the time keeps its zone, with the hours that are put forward or back there.
// One that does not exist or exists twice is an error; with an offset beside the name it exists once.
func ParseInstant(text string) (time.Time, error) {
	s := strings.TrimSpace(text)
	name := ""
	if at := strings.LastIndexByte(s, ' '); at > 0 && at+1 < len(s) && (s[at+1] < '0' || s[at+1] > '9') && s[at+1] != '+' && s[at+1] != '-' {
		s, name = strings.TrimSpace(s[:at]), s[at+1:]
	}
	bare, dated := parseAny(s, "")
	t, ok := parseAny(s, "Z07:00")
	if !ok {
		t, ok = parseAny(s, "Z0700")
	}
	switch {
	case !ok && !dated:
		return t, fmt.Errorf("%q is %w, such as %s or %s", text, ErrNoInstant, instant, inZone)
	case !ok && name == "":
		day := bare.Format("2006-01-02T15:04:05")
		return t, fmt.Errorf("%q has %w; write %sZ, or an offset or a zone by name, such as %s or %s", text, ErrNoZone, day,
			day+"+01:00", day+" Europe/Berlin")
	case name == "":
		_, offset := t.Zone() // a fixed one: not that of this machine, which may have the offset today only
		if offset == 0 {
			return t.UTC(), nil
		}
		return t.In(time.FixedZone("", offset)), nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return t, fmt.Errorf("%q: there is no zone %q; write one by its name, such as Europe/Berlin or America/New_York", text, name)
	}
	if ok {
		in := t.In(zone)
		if _, offset := in.Zone(); !sameOffset(t, offset) {
			return t, fmt.Errorf("%q: the offset in %s is %s then; leave one of them out", text, name, in.Format("-07:00"))
		}
		return in, nil
	}
	there, shown := Shown(bare, zone)
	switch {
	case !shown:
		return t, fmt.Errorf("%q does not exist in %s: clocks are put forward then; write %s", text, name, there[0].Format("2006-01-02T15:04:05 ")+name)
	case len(there) > 1:
		return t, fmt.Errorf("%q exists twice in %s: clocks are put back then; write %s", text, name,
			strings.Join(each.Of(there, func(t time.Time) string { return t.Format("2006-01-02T15:04:05-07:00 ") + name }), " or "))
	}
	return there[0], nil
}

func sameOffset(t time.Time, offset int) bool {
	_, own := t.Zone()
	return own == offset
}

// parseAny reads date and time as they are often written, with such an offset.
func parseAny(s, offset string) (time.Time, bool) {
	for _, day := range []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"} {
		for _, blank := range []string{"", " "} {
			if t, err := time.Parse(day+blank+offset, s); err == nil && (blank == "" || offset != "") {
				return t, true
			}
		}
	}
	return time.Time{}, false
}

// Shown are the instants at which clocks in a zone show a date and time, which is taken from t whatever its
// zone: one, or two where clocks are put back. Where it is left out as they are put forward, it is the instant
// that is as much later as they are, and shown is false.
func Shown(t time.Time, zone *time.Location) (at []time.Time, shown bool) {
	wall := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	var offsets []int
	for _, near := range []time.Duration{-26 * time.Hour, 26 * time.Hour} { // no zone changes twice in two days
		_, offset := wall.Add(near).In(zone).Zone()
		if !slices.Contains(offsets, offset) {
			offsets = append(offsets, offset)
		}
	}
	for _, offset := range offsets {
		x := wall.Add(-time.Duration(offset) * time.Second).In(zone)
		if sameOffset(x, offset) {
			at = append(at, x)
		}
	}
	if len(at) == 0 { // by the clock before the change
		return []time.Time{wall.Add(-time.Duration(offsets[0]) * time.Second).In(zone)}, false
	}
	slices.SortFunc(at, time.Time.Compare)
	return at, true
}
