package scenario

import (
	"strings"
	"testing"
)

// A job of which nobody said how long its tasks take would play tasks of no time, and look as if it had run.
func TestTasksNeedTimes(t *testing.T) {
	const head = "cluster: {nodes: 4, racks: 2}\nworkload:\n"
	for src, want := range map[string]string{
		"  jobs: [{id: a, maps: 3}]":                                                                           `f:3:24: job "a" has maps and no map_time; say how long one takes, such as map_time: 20s`,
		"  jobs: [{id: a, input: 3GB}]":                                                                        `f:3:25: job "a" has maps and no map_time; `,
		"  jobs: [{id: a, maps: 3, map_time: 1s, reduces: 2}]":                                                 `f:3:50: job "a" has reduces and no reduce_time; say how long one takes after its shuffle, such as reduce_time: 20s`,
		"  jobs: [{id: a, maps: 3, map_time: 1s, reduces: 2, shuffle_time: 3s}]":                               `f:3:50: job "a" has reduces and no reduce_time; `,
		"  jobs: [{id: a, map_time: 1s, reduces: 2, reduce_time: 1s}]":                                         `f:3:10: job "a" has neither maps nor input; give it some, or maps: 0 if it has none`,
		"  jobs: [{id: a, map_time: 1s}]":                                                                      `f:3:10: job "a" has neither maps nor input; `,
		"  jobs: [{id: a, maps: 1, map_time: 1s, reduce_time: 1s}]":                                            `f:3:54: reduce_time has no effect without reduces`,
		"  jobs: [{id: a, maps: 1, map_time: 1s, shuffle_time: 1s}]":                                           `f:3:55: shuffle_time has no effect without reduces`,
		"  streams: [{id: a, maps: 1, users: 2, count: 3}]":                                                    `f:3:27: job "a" has maps and no map_time; `,
		"  streams: [{id: a, maps: 1, map_time: 1s, reduces: 1, users: 2, count: 3}]":                          `f:3:53: job "a" has reduces and no reduce_time; `,
		"  mix: {class: c, rate: 10MB, arrivals: {every: 3s}, jobs: [{id: m, count: 2, maps: 4, reduces: 2}]}": `f:3:97: size "m" has reduces, but the mix has no ratio; say how many bytes maps write for each byte they read, such as ratio: 0.4`,
		// a sweep may vary what the file says, and say what it does not
		"  jobs: [{id: a, maps: 3}]\nsweep: {'workload.jobs[0].maps': [1, 2]}":                  `f:3:24: job "a" has maps and no map_time; `,
		"  jobs: [{id: a, maps: 1, map_time: 1s}]\nsweep: {'workload.jobs[0].reduces': [1, 2]}": `(with workload.jobs[0].reduces 1)`,
	} {
		_, err := ReadSweep("f", []byte(head+src+"\n"), Resize{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n got %v\nwant %s", src, err, want)
		}
	}
	for _, src := range []string{
		"  jobs: [{id: a, maps: 3, map_time: 0s}]", // said in so many words
		"  jobs: [{id: a, maps: 0, reduces: 2, reduce_time: 1s}]",
		"  jobs: [{id: a, maps: 3, map_time: 1s, reduces: 0, reduce_time: 1s}]",
		"  jobs: [{id: a, maps: 3}]\nsweep: {'workload.jobs[0].map_time': [1s, 2s]}",
		"  jobs: [{id: a, map_time: 2s, input: 1GB}]\nsweep: {'workload.jobs[0].input': [1GB, 2GB]}",
		"  jobs: [{id: a, map_time: 2s, hosts: [[n1], [n2]]}]",
		"  jobs: [{id: a, maps: 3, map_time: 1s, reduce_time: 1s}]\nsweep: {'workload.jobs[0].reduces': [1, 2]}",
		"  mix: {class: c, rate: 10MB, ratio: 0, arrivals: {every: 3s}, jobs: [{id: m, count: 2, maps: 4, reduces: 2}]}",
		"  mix: {class: c, rate: 10MB, arrivals: {every: 3s}, jobs: [{id: m, count: 2, maps: 4}]}",
	} {
		if _, err := ReadSweep("f", []byte(head+src+"\n"), Resize{}); err != nil {
			t.Errorf("%s: %v", src, err)
		}
	}
}

// More racks than nodes is a mistake, unless the command line has made the cluster smaller.
func TestRacksOfNodes(t *testing.T) {
	src := []byte("cluster: {nodes: 4, racks: 9}\nworkload: {jobs: [{id: a, maps: 3, map_time: 1s}]}\n")
	if _, err := Read("f", src); err == nil || err.Error() != "f:1:28: racks is 9, it must be at most the number of nodes, 4" {
		t.Error(err)
	}
	few := 2
	if _, err := ReadResized("f", []byte(strings.Replace(string(src), "racks: 9", "racks: 4", 1)), Resize{Nodes: &few}); err != nil {
		t.Error(err)
	}
}
