package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"
)

// A curve goes along the key of most values, and begins again where another changes. The file is XML and brings its own
// ground; it has a point for each policy and each point of the sweep, and names of files are texts in it.
func TestFigureOfTwoKeys(t *testing.T) {
	r := New()
	for _, beat := range []string{"1s", "3s"} {
		for _, nodes := range []string{"10", "20", "40"} {
			for seed := range uint64(2) {
				for _, policy := range []string{"<fifo>", "edf-p"} {
					r.Runs = append(r.Runs, &Run{World: "sim", Scenario: "s", Policy: policy, Seed: seed, Params: map[string]string{"beat": beat, "nodes": nodes},
						Summary: Summary{Deadlines: 4, InTime: 3 + int(seed)}})
				}
			}
		}
	}
	text := r.Figure().File()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for what, want := range map[string]int{"<circle": 12, "stroke-dasharray": 4, ">beat=1s<": 1, ">beat=3s<": 1, ">nodes<": 1, ">40<": 2, "prefers-color-scheme: dark": 1, `class="ground"`: 1, ">&lt;fifo&gt;<": 1, "87.5 %": 12} {
		if got := strings.Count(text, what); got != want {
			t.Errorf("%s stands there %d times, want %d", what, got, want)
		}
	}
	// The points of a curve come in the order of the sweep, from left to right.
	along, stretches := stretched(r.scenarios())
	if got := fmt.Sprint(along, len(stretches), len(stretches[0]), stretches[1][2][0].Params); got != "nodes2 3 map[beat:3s nodes:40]" {
		t.Error(got)
	}
}
