package yarn

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// longest is the longest time that a tag may name, in either unit: what is farther away is a mistake.
const longest = 10 * 365 * 24 * time.Hour

// What is said of what was typed: that it is no time, and one that a job cannot meet.
const (
	noTime = "no valid time"
	passed = "a time that had passed when the job was submitted"
)

// property is where a job's configuration has its deadline, as the tag dl: has it.
const property = "mapred.job.deadline"

// readDeadline takes the deadline in a job's configuration, unless a tag names one. The error is for the user.
func readDeadline(j *workload.Job, tags []string, value string, submitted units.Time, originMs int64) error {
	if value == "" || slices.ContainsFunc(tags, func(t string) bool { return strings.HasPrefix(t, "dl:") || strings.HasPrefix(t, "in:") }) {
		return nil
	}
	at, wrong := readTime(value, submitted, originMs)
	if wrong != "" {
		return fmt.Errorf("%s=%.100s is %s; it takes the milliseconds since 1970", property, value, wrong)
	}
	j.Deadline = at
	return nil
}

// readTime reads an instant in ms since 1970 that lies ahead of a job, or says what is wrong with it.
func readTime(value string, submitted units.Time, originMs int64) (at units.Time, wrong string) {
	ms, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0, noTime
	}
	ms -= min(max(originMs, 0), ms) // whatever was typed, this stays in range
	at = units.Time(0).Add(units.Duration(min(ms, math.MaxInt64/int64(units.Millisecond))) * units.Millisecond)
	switch {
	case at <= submitted:
		return 0, passed
	case at.Sub(submitted) > units.Duration(longest):
		return 0, "a time that is more than ten years away"
	}
	return at, ""
}

// readTags takes what a user has said of a job in its tags, and of its deadline in its configuration.
// Times are those of the cluster's clock: in: counts from when the ResourceManager took the job in, so it does not
// matter what the user's clock shows. Other tags are none of our business. The error is for the user.
func readTags(j *workload.Job, tags []string, due string, submitted units.Time, originMs int64) error {
	if err := readDeadline(j, tags, due, submitted, originMs); err != nil {
		return err
	}
	first := "" // that names a deadline
	for _, tag := range tags {
		word, value, _ := strings.Cut(tag, ":")
		switch {
		case word != "dl" && word != "in":
		case first != "":
			return fmt.Errorf("the tags name two deadlines, %s and %s; a job has one", first, tag)
		default:
			first = tag
		}
		bad := func(what string) error { return fmt.Errorf("the tag %q has %s", tag, what) }
		switch word {
		case "dl", "soft", "vdl":
			at, wrong := readTime(value, submitted, originMs)
			if wrong == passed && word == "vdl" { // a plan's, and its workflow is late: that refuses no job
				at, wrong = submitted.Add(1), ""
			}
			if wrong == noTime {
				wrong += "; write " + word + ": and the milliseconds since 1970"
			}
			if wrong != "" {
				return bad(wrong)
			}
			switch word {
			case "dl":
				j.Deadline = at
			case "soft":
				j.Soft = at
			default:
				j.Virtual = at
			}
		case "in":
			s, err := strconv.ParseInt(value, 10, 64)
			if err != nil || s <= 0 {
				return bad("no valid time; write in: and the seconds that the job may take")
			}
			if s > int64(longest/time.Second) {
				return bad("a time that is more than ten years away")
			}
			j.Deadline = submitted.Add(units.Duration(s) * units.Second)
		case "weight":
			n, err := strconv.ParseFloat(value, 64)
			if err != nil || !(n > 0) || n > 1e6 {
				return bad("no valid weight; write weight: and a number above 0, up to 1000000")
			}
			j.Weight = n
		case "due", "deadline", "within": // tags of others are none of our business, but these are meant for us
			return fmt.Errorf("the tag %q is none that Slackline knows; write in: and the seconds that the job may take, or dl: and the milliseconds since 1970", tag)
		case "class":
			if value == "" {
				return bad("no class; write class: and a word")
			}
			j.Class = value
		case "wf":
			if value == "" {
				return bad("no workflow; write wf: and its name")
			}
			j.Workflow = &workload.Workflow{ID: value, Deadline: units.Never}
		}
	}
	if j.Soft != units.Never && j.Soft > j.Deadline {
		return fmt.Errorf("the soft deadline in the tags is later than the hard one")
	}
	return nil
}
