package scenario

import (
	"fmt"
	"testing"
)

func TestReadClaims(t *testing.T) {
	for src, want := range map[string]string{
		"queues: [{queue: root.etl, users: anna, soonest: 2m, weight: 5}, {queue: root, users: ['*'], default: 1h}]": "[{root.etl [anna] 2m 5 0s} {root [*] 0s 0 1h}]",
		"queues: [{queue: a}, {queue: a}]":   `c.yaml:1:30: queue "a" is in the file twice, at first in entry 1`,
		"queues: []":                         "c.yaml:1:9: queues is empty; give at least one",
		"queues: [{queue: a, weight: -1}]":   "c.yaml:1:29: weight is -1, it must be above 0",
		"queues: [{queue: a, soonest: -1s}]": "c.yaml:1:30: soonest is -1s, it must not be negative",
	} {
		c, err := ReadClaims("c.yaml", []byte(src))
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(c.Queues)
		}
		if got != want {
			t.Errorf("%s\ngot  %s\nwant %s", src, got, want)
		}
	}
}
