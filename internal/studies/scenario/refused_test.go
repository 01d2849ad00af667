package scenario

import (
	"regexp"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slackline/slackline/internal/config"
)

// value finds the values of full, other than lists and mappings.
var value = regexp.MustCompile(`(: |[\[,] ?)([^\s\[\]{},:]+)([,\]}\n])`)

// A mistyped value is told, or obeyed within the bounds of a file. No other value, and no sum of them, is used.
func TestMistypedValues(t *testing.T) {
	mistyped := []string{"5..1", "1..1000000000", "0..18446744073709551615", "18446744073709551615", "9223372036854775807", "-1", "0", "1e300", "1e-300", ".nan", ".inf", "-.inf",
		"999999999h", "292y", "1e18B", "9999999TB", "7EB", "'18:00'", "+1m", "n1", "[]", "{}", "~", "[1, 2]", "{a: 1}", "100%", "\"\"", "[1..100000, 100001..200000]", "2..1,3"}
	rapid.Check(t, func(t *rapid.T) {
		src := full
		for range rapid.IntRange(1, 4).Draw(t, "mistakes") {
			places := value.FindAllStringSubmatchIndex(src, -1)
			at := rapid.SampledFrom(places).Draw(t, "place")
			src = src[:at[4]] + rapid.SampledFrom(mistyped).Draw(t, "value") + src[at[5]:]
		}
		doc, err := config.ParseOne("f.yaml", []byte(src))
		if err != nil {
			return
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := read(doc, Resize{}, 1000)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
			t.Fatalf("%d MB\n%s", used>>20, src)
		}
		if err == nil {
			c := s.Sim(1)
			err = c.Validate()
		} else if !strings.HasPrefix(err.Error(), "f.yaml:") {
			t.Errorf("%v\n%s", err, src)
		} else {
			return
		}
		if err != nil {
			t.Errorf("it is taken, and then: %v\n%s", err, src)
		}
	})
}

// Seeds that were refused are not counted, alone or together.
func TestTooManySeeds(t *testing.T) {
	for seeds, want := range map[string]string{
		"5..1":                      `f.yaml:3:8: seeds: "5..1" runs backwards; write the smaller seed first, such as 1..30`,
		"[3..1, 2]":                 `f.yaml:3:9: seeds[0]: "3..1" runs backwards; write the smaller seed first, such as 1..30`,
		"[0, 3..1]":                 `f.yaml:3:12: seeds[1]: "3..1" runs backwards; write the smaller seed first, such as 1..30`,
		"1..1000000000":             `f.yaml:3:8: seeds: "1..1000000000" are too many seeds, at most 100000 are possible`,
		"0..18446744073709551615":   `f.yaml:3:8: seeds: "0..18446744073709551615" are too many seeds, at most 100000 are possible`,
		"[1..60000, 70001..130000]": "f.yaml:3:19: with those before it these are too many seeds, at most 100000 are possible",
		"[1..3, 2]":                 "f.yaml:3:15: the seed 2 is given twice",
		"18446744073709551615":      "",
	} {
		s, err := Read("f.yaml", []byte("cluster: {nodes: 1}\nworkload: {jobs: [{id: a, maps: 1, map_time: 1s}]}\nseeds: "+seeds+"\n"))
		if got := ""; err != nil && err.Error() != want || err == nil && (want != got || len(s.Seeds) != 1) {
			t.Errorf("%s: %v", seeds, err)
		}
	}
	if _, err := ParseSeeds("1..100000,100001"); err == nil {
		t.Error("too many seeds are taken from a flag")
	}
}

// The scenarios of a sweep are there together.
func TestSweepsAreBounded(t *testing.T) {
	_, err := readSweep("f.yaml", []byte("cluster: {nodes: 1}\nworkload: {jobs: [{id: a, maps: 100, map_time: 1s}]}\nsweep: {cluster.nodes: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], cluster.heartbeat: [1s, 2s, 3s]}\n"), Resize{}, 2000)
	if err == nil || !strings.Contains(err.Error(), "f.yaml:3:8: the scenarios of the sweep have more than 2000 nodes and tasks in all") {
		t.Error(err)
	}
}
