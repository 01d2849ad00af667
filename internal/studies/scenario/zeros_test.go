package scenario

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// keys goes through the keys of a struct, by path.
func keys(t reflect.Type, path string, do func(path string, f reflect.StructField)) {
	for i := range t.NumField() {
		f := t.Field(i)
		name := strings.Split(f.Tag.Get("json"), ",")[0]
		if f.Anonymous {
			keys(f.Type, path, do)
			continue
		}
		if name == "" || name == "-" || strings.Count(path, name) > 1 {
			continue
		}
		at := path + "." + name
		do(at, f)
		in := f.Type
		for in.Kind() == reflect.Pointer || in.Kind() == reflect.Slice {
			in = in.Elem()
		}
		if in.Kind() == reflect.Struct && !reflect.PointerTo(in).Implements(textType) {
			keys(in, at, do)
		}
	}
}

var textType = reflect.TypeFor[interface{ UnmarshalText([]byte) error }]()

// alike are the keys whose 0 says what their absence says.
var alike = strings.Fields(`
	Capacity.classes.at_least Capacity.classes.penalty Capacity.classes.reduces Capacity.reserved_limit
	Claims.queues.soonest
	Job.arrive Job.priority Job.run.offers.billing Job.run.offers.boot Job.run.offers.interruptions Job.skip_bad_records
	Scenario.cluster.failure_rate Scenario.cluster.faulty.share Scenario.cluster.forecasts.at Scenario.cluster.launch Scenario.cluster.masters.memory Scenario.cluster.masters.vcores
	Scenario.cluster.nodes Scenario.cluster.offers.billing Scenario.cluster.offers.boot Scenario.cluster.offers.interruptions Scenario.cluster.skew Scenario.cluster.slots.weather.error Scenario.cluster.stragglers.rate Scenario.cluster.task_times.cv
	Scenario.queues.capacity Scenario.queues.min_maps Scenario.queues.min_reduces
	Scenario.workload.jobs.arrive Scenario.workload.jobs.priority Scenario.workload.jobs.reduces Scenario.workload.jobs.shuffle_time
	Scenario.workload.jobs.map_needs.gpus Scenario.workload.jobs.map_needs.memory Scenario.workload.jobs.map_needs.vcores
	Scenario.workload.jobs.reduce_needs.gpus Scenario.workload.jobs.reduce_needs.memory Scenario.workload.jobs.reduce_needs.vcores
	Scenario.workload.mix.arrive Scenario.workload.mix.jobs.reduces Scenario.workload.mix.ratio Scenario.workload.mix.start
	Scenario.workload.streams.think Scenario.workload.trace.deadlines.share`)

// judged are the keys that are held against others, by what the file has and not by their values.
var judged = strings.Fields(`
	Capacity.prices.reserved
	Scenario.cluster.mttr Scenario.cluster.rack_mttr Scenario.cluster.outages.up
	Scenario.queues.user_limit_factor
	Scenario.workload.jobs.map_time Scenario.workload.jobs.reduce_time Scenario.workload.mix.arrivals.every Scenario.workload.mix.jobs.deadline
	Scenario.workload.streams.arrivals.every Scenario.workload.streams.users`)

// refuses tells whether the type reads no zero value.
func refuses(t reflect.Type) bool {
	switch t.Name() {
	case "Chance", "Confidence", "Moment", "Due", "Instant":
		return true
	}
	return false
}

// 0 is 0: a key either takes it at its word, or refuses it, or means the same by it as by its absence.
func TestZeros(t *testing.T) {
	met := map[string]bool{}
	for _, file := range []any{Scenario{}, Job{}, Capacity{}, Claims{}} {
		keys(reflect.TypeOf(file), reflect.TypeOf(file).Name(), func(path string, f reflect.StructField) {
			switch f.Type.Kind() {
			case reflect.Int, reflect.Int64, reflect.Uint64, reflect.Float64:
			case reflect.Struct:
				if !reflect.PointerTo(f.Type).Implements(textType) {
					return
				}
			default: // a pointer, or nothing that could be 0
				return
			}
			least, err := strconv.ParseFloat(f.Tag.Get("min"), 64)
			_, above := f.Tag.Lookup("above")
			path = strings.NewReplacer("streams.map", "jobs.map", "streams.reduce", "jobs.reduce", "streams.a", "jobs.a", "streams.p", "jobs.p", "streams.sh", "jobs.sh",
				"queues.queues.", "queues.", ".first_shuffle.", ".map.").Replace(path)
			path = strings.Replace(path, "jobs.arrivals", "streams.arrivals", 1)
			switch {
			case f.Tag.Get("need") != "", f.Tag.Get("def") != "", above, err == nil && least > 0, refuses(f.Type):
			case slices.Contains(alike, path), slices.Contains(judged, path):
				met[path] = true
			default:
				t.Errorf("%s: is 0 the same as no key? Give it above:\"0\", a pointer, or a place in the list", path)
			}
		})
	}
	for _, path := range slices.Concat(alike, judged) {
		if !met[path] {
			t.Errorf("there is no key %s any more, or it refuses 0", path)
		}
	}
}

// What is refused says what holds without the key. A queue that is closed takes no job, by whatever name.
func TestZeroIsZero(t *testing.T) {
	const cluster, jobs = "cluster: {nodes: 2}\n", "workload: {jobs: [{id: b, queue: QUEUE, maps: 1, map_time: 1s}]}\n"
	for text, want := range map[string]string{
		cluster + jobs + "queues: [{name: prod, max_running: 0}, {name: o}]":                                              `f.yaml:2:34: the queue "prod" is closed: its max_running is 0`,
		cluster + strings.Replace(jobs, "queue: QUEUE, ", "", 1) + "queues: [{name: default, max_running: 0}, {name: o}]": `f.yaml:2:19: the queue "default" is closed: its max_running is 0`,
		cluster + jobs + "queues: [{name: all, max_running: 0, queues: [{name: prod}]}, {name: o}]":                       `f.yaml:2:34: the queue "all.prod" is closed: its max_running is 0`,
		cluster + jobs + "queues: [{name: prod}, {name: o, max_running: 0}]":                                              "",
		cluster + jobs + "queues: [{name: prod, capacity: 0}, {name: o, capacity: 100}]":                                  "",
		cluster + jobs + "queues: [{name: prod, weight: 0}]":                                                              "f.yaml:3:31: weight is 0, it must be at least 0.001; without the key it is: 1",
		cluster + jobs + "queues: [{name: prod, maximum: 0}]":                                                             "f.yaml:3:32: maximum is 0, it must be above 0; without the key it is: 100",
		cluster + jobs + "queues: [{name: prod, minimum_user_limit: 0}]":                                                  "f.yaml:3:43: minimum_user_limit is 0, it must be above 0; without the key it is: 100",
		cluster + jobs + "queues: [{name: prod, user_limit_factor: 0}]":                                                   `f.yaml:3:42: queue "prod": user_limit_factor is 0, it must be above 0, or -1 for no limit; without the key it is 1`,
		cluster + jobs + "queues: [{name: prod, min_maps: 1, min_share_timeout: 0s}]":                                     "f.yaml:3:55: min_share_timeout is 0s, it must be above 0; without the key it is: for good",
		cluster + jobs + "max_running: 0":                                                                                 "f.yaml:3:14: max_running is 0, it must be above 0; without the key it is: none",
		cluster + jobs + "max_running_per_user: 0":                                                                        "f.yaml:3:23: max_running_per_user is 0, it must be above 0; without the key it is: none",
		cluster + jobs + "max_running_per_queue: 0":                                                                       "f.yaml:3:24: max_running_per_queue is 0, it must be above 0; without the key it is: none",
		cluster + "workload: {trace: {format: slackline, file: t.jsonl, first: 0s}}":                                      "f.yaml:2:61: first is 0s, it must be above 0; without the key it is: all of it",
		"cluster: {nodes: 2, mtbf: 0s}\n" + jobs:                                                                          "f.yaml:1:27: mtbf is 0s, it must be above 0; without the key it is: none by chance",
		"cluster: {nodes: 2, read: {rack: 0}}\n" + jobs:                                                                   "f.yaml:1:34: rack is 0B, it must be above 0; without the key it is: no cost",
	} {
		for _, queue := range []string{"prod", "root.prod"} {
			_, err := Read("f.yaml", []byte(strings.Replace(text, "QUEUE", queue, 1)))
			if err == nil && want == "" || err != nil && strings.Replace(err.Error(), "root.prod", "prod", 1) == want {
				continue
			}
			t.Errorf("%s\n%v\nwant %s", text, err, want)
		}
	}
}
