package main

import (
	"regexp"
	"strings"
	"testing"
)

const doorScenario = `name: door
cluster: {nodes: 2, map_slots: 2, reduce_slots: 1}
workload:
  jobs:
    - {id: a, class: sort, maps: 12, map_time: 20s, deadline: 2m}
    - {id: b, class: sort, arrive: 10s, maps: 4, map_time: 20s, deadline: +40s}
    - {id: c, class: sort, arrive: 10s, maps: 4, map_time: 20s, deadline: +260s}
    - {id: d, class: sort, arrive: 20s, maps: 4, map_time: 20s, deadline: +50s}
    - {id: e, class: sort, arrive: 130s, maps: 4, map_time: 20s, deadline: +50s}
policies: [fifo, rtmr]
`

// simulate asks when jobs come, and keeps out what would be late if it is told to; not where the policy decides itself.
func TestSimulateAsks(t *testing.T) {
	s := newShell(t, map[string]string{"door.yaml": doorScenario, "few.yaml": regexp.MustCompile("(?m)^.*id: [c-e].*\n").ReplaceAllString(doorScenario, "")})
	for _, c := range []struct {
		flags, want, not string
	}{
		{"", "fifo, asked when jobs came\n\n                    was in time  was late    right    95 % interval\n", "rtmr, asked"},
		{"--admit warn", "said to be late               0         2  100.0 %", "did not come in"},
		{"", "\nfifo, expected to be late when they came: \"b\" by 34.5 s, \"d\" by 56.5 s\n", "rtmr, expected"},
		{"--admit warn --seed 1,2", "said to be late               0         4  100.0 %", "did not come in"},
		{"--admit refuse", "\nfifo: 2 did not come in, as they would be late: \"b\", \"d\"\n", "rtmr: 2 did not"},
		{"--admit off", "door in the simulator", "asked"},
		{"--seed 1,2", "door in the simulator", "asked"},
	} {
		r := s.run(append([]string{"simulate", "door.yaml"}, strings.Fields(c.flags)...)...)
		if r.code != 0 || !strings.Contains(r.stdout, c.want) || strings.Contains(r.stdout, c.not) {
			t.Errorf("%s: exit %d\n%s%s", c.flags, r.code, r.stdout, r.stderr)
		}
	}
	// Of few jobs there is no count of what came true, and yet the late ones are named.
	if r := s.run("simulate", "few.yaml", "--policy", "fifo"); strings.Contains(r.stdout, "asked when") || !strings.Contains(r.stdout, "expected to be late when they came: \"b\" by ") {
		t.Errorf("%s%s", r.stdout, r.stderr)
	}
	if r := s.run("simulate", "door.yaml", "--policy", "fifo", "--admit", "refuse", "--strict"); r.code != 3 || !strings.Contains(r.stderr, "2 of ") {
		t.Errorf("--strict: exit %d\n%s", r.code, r.stderr)
	}
	for flags, want := range map[string]string{
		"--admit=perhaps":              `--admit "perhaps": it must be warn, refuse or off`,
		"--admit=refuse --policy=rtmr": "--admit refuse: rtmr admits jobs by their deadlines itself; leave --admit out",
	} {
		if r := s.run(append([]string{"simulate", "door.yaml"}, strings.Fields(flags)...)...); r.code != 2 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: exit %d\n%s", flags, r.code, r.stderr)
		}
	}
}
