package yarn

import (
	"fmt"
	"testing"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Tags are what a user typed: what makes sense is taken, what does not is named.
func TestTags(t *testing.T) {
	const origin = 1_000_000
	submitted := units.Time(0).Add(10 * units.Second) // at 1,010,000
	for _, c := range []struct {
		tags []string
		want string
	}{
		{nil, "never never 1 c"},
		{[]string{"dl:1070000", "soft:1040000", "weight:2.5", "class:etl", "zz", "a:b:c"}, "1m10s 40s 2.5 etl"},
		{[]string{"in:90"}, "1m40s never 1 c"},
		{[]string{"dl:1010000"}, `the tag "dl:1010000" has a time that had passed when the job was submitted`},
		{[]string{"dl:tomorrow"}, `the tag "dl:tomorrow" has no valid time; write dl: and the milliseconds since 1970`},
		{[]string{"dl:9223372036854775807"}, `the tag "dl:9223372036854775807" has a time that is more than ten years away`},
		{[]string{"dl:-9223372036854775808"}, `the tag "dl:-9223372036854775808" has a time that had passed when the job was submitted`},
		{[]string{"in:0"}, `the tag "in:0" has no valid time; write in: and the seconds that the job may take`},
		{[]string{"in:9999999999999"}, `the tag "in:9999999999999" has a time that is more than ten years away`},
		{[]string{"weight:0"}, `the tag "weight:0" has no valid weight; write weight: and a number above 0, up to 1000000`},
		{[]string{"weight:nan"}, `the tag "weight:nan" has no valid weight; write weight: and a number above 0, up to 1000000`},
		{[]string{"class:"}, `the tag "class:" has no class; write class: and a word`},
		{[]string{"vdl:1030000", "wf:nightly_etl", "dl:1070000"}, "1m10s never 1 c 30s nightly_etl"},
		{[]string{"vdl:1009999", "wf:w"}, "never never 1 c 10.000000001s w"},
		{[]string{"vdl:99999999999999"}, `the tag "vdl:99999999999999" has a time that is more than ten years away`},
		{[]string{"wf:"}, `the tag "wf:" has no workflow; write wf: and its name`},
		{[]string{"in:60", "soft:1090000"}, "the soft deadline in the tags is later than the hard one"},
	} {
		j := workload.Job{Class: "c", Weight: 1, Deadline: units.Never, Soft: units.Never}
		err := readTags(&j, c.tags, "", submitted, origin)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(j.Deadline, " ", j.Soft, " ", j.Weight, " ", j.Class)
			if j.Virtual != 0 {
				got += fmt.Sprint(" ", j.Virtual, " ", j.Workflow.ID)
			}
		}
		if got != c.want {
			t.Errorf("%q\ngot  %s\nwant %s", c.tags, got, c.want)
		}
	}
}

// A job's configuration may have its deadline, too, which a tag overrules.
func TestDeadlinesOfConfigurations(t *testing.T) {
	const origin = 1_000_000
	for _, c := range []struct {
		due  string
		tags []string
		want string
	}{
		{"1070000", nil, "1m10s never"},
		{"1070000", []string{"soft:1040000", "inner:5"}, "1m10s 40s"},
		{"1030000", []string{"soft:1040000"}, "the soft deadline in the tags is later than the hard one"},
		{"1070000", []string{"in:20"}, "30s never"},
		{"nonsense", []string{"dl:1050000"}, "50s never"},
		{"", []string{"in:60", "in:600"}, "the tags name two deadlines, in:60 and in:600; a job has one"},
		{"", []string{"dl:1050000", "in:600"}, "the tags name two deadlines, dl:1050000 and in:600; a job has one"},
		{"", []string{"due:60"}, `the tag "due:60" is none that Slackline knows; write in: and the seconds that the job may take, or dl: and the milliseconds since 1970`},
		{"", []string{"dues:60"}, "never never"},
		{"600", nil, "mapred.job.deadline=600 is a time that had passed when the job was submitted; it takes the milliseconds since 1970"},
		{"1h", nil, "mapred.job.deadline=1h is no valid time; it takes the milliseconds since 1970"},
	} {
		j := workload.Job{Class: "c", Weight: 1, Deadline: units.Never, Soft: units.Never}
		err := readTags(&j, c.tags, c.due, units.Time(0).Add(10*units.Second), origin)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(j.Deadline, " ", j.Soft)
		}
		if got != c.want {
			t.Errorf("%s %q\ngot  %s\nwant %s", c.due, c.tags, got, c.want)
		}
	}
}

// The masters' room is taken off first, and what is left is cut into slots, three for maps to one for reduces.
func TestSplit(t *testing.T) {
	gb := int64(units.GB)
	s := &Split{Masters: units.Vector{units.VCores: 1, units.Memory: 2 * gb}, Slot: units.Vector{units.VCores: 1, units.Memory: 2 * gb}}
	if err := s.validate(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ total, want units.Vector }{
		{units.Vector{units.VCores: 9, units.Memory: 18 * gb}, units.Vector{units.MapSlots: 6, units.ReduceSlots: 2, units.VCores: 1, units.Memory: 2 * gb}},
		{units.Vector{units.VCores: 32, units.Memory: 10 * gb}, units.Vector{units.MapSlots: 3, units.ReduceSlots: 1, units.VCores: 1, units.Memory: 2 * gb}},
		{units.Vector{units.VCores: 1, units.Memory: 1 * gb}, units.Vector{units.VCores: 1, units.Memory: 1 * gb}},
	} {
		if got := s.capacity(c.total); got != c.want {
			t.Errorf("%v offers %v, want %v", c.total, got, c.want)
		}
	}
	if got := s.needs(sched.Reduce, units.Vector{units.VCores: 1, units.Memory: 5 * gb}); got != (units.Vector{units.ReduceSlots: 3}) {
		t.Errorf("a large reduce counts as %v", got)
	}
	if got := s.needs(sched.Master, units.Vector{units.VCores: 1, units.Memory: 5 * gb}); got[units.Memory] != 5*gb {
		t.Errorf("a master counts as %v", got)
	}
}
