package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// A job with a command for CPUs and one for GPUs runs on both kinds of workers, each with its own, and is told the
// energy of the model: 30 W on the GPU, 8 W elsewhere. What is wrong is told in one sentence.
func TestTwoImplementations(t *testing.T) {
	need(t, "grep", "uniq")
	t.Parallel()
	file := "map: {cpu: \"sh -c 'cat >/dev/null; pwd | grep -q /gpu1/ || echo cpu'\", gpu: \"sh -c 'cat >/dev/null; pwd | grep -q /gpu1/ && echo gpu'\"}\ninput: in/*\noutput: out\nreduce: uniq -c\nrun: {gpus: 1, gpu_power: 30W, overwrite: true, block: 1KB}\ndeadline: 10m\n"
	files := map[string]string{"two.yaml": file, "one.yaml": strings.Replace(file, "gpu: ", "fpga: ", 1), "text.yaml": "map: [a, b]\ninput: in/*\noutput: out\n",
		"none.yaml": strings.Replace(file, "gpus: 1", "gpus: 0", 1), "less.yaml": strings.Replace(file, "30W", "-30W", 1)}
	for _, name := range strings.Fields("a b c d e f g h") {
		files["in/"+name] = strings.Repeat(name+"\n", 500)
	}
	s := newShell(t, files)
	s.must(0, "run", "two.yaml", "--power", "10W,8W", "--nodes", "2", "--slots", "1")
	if out := s.parts("out"); !strings.Contains(out, " cpu") || !strings.Contains(out, " gpu") {
		t.Errorf("it did not run on both:\n%s", out)
	}
	var told struct {
		Report struct {
			Energy  float64 `json:"energy_kwh"`
			Patient struct {
				Energy float64 `json:"energy_kwh"`
			} `json:"with_twice_the_time"`
		}
		Real struct {
			Energy struct {
				Joules float64
				Above  float64 `json:"above_idle_joules"`
			}
		}
	}
	if err := json.Unmarshal([]byte(s.must(0, "show", "two", "-o", "json")), &told); err != nil {
		t.Fatal(err)
	}
	is, of := told.Report, told.Real.Energy
	if math.Abs(is.Energy*3.6e6-of.Above) > 1e-6*of.Above || of.Above <= 0 || of.Joules <= of.Above || is.Patient.Energy > is.Energy {
		t.Errorf("energy %+v of %+v", is, of)
	}
	if text := s.must(0, "show", "two"); !strings.Contains(text, "energy     its tasks drew above idle") {
		t.Error(text)
	}
	var kept struct {
		Profiles []struct {
			Cold struct {
				Samples []struct {
					Part, Node, Container string
					Jobs                  [][][3]float64
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(s.must(0, "profile", "show", "two", "-o", "json")), &kept); err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for _, sample := range kept.Profiles[0].Cold.Samples {
		for _, m := range sample.Jobs[0] {
			if sample.Part == "energy" {
				all[sample.Node+" "+sample.Container] += m[2]
			}
		}
	}
	if sum := all["gpu gpu"] + all["local cpu"] + all["local "]; len(all) != 3 || math.Abs(sum-of.Above) > 1e-3*of.Above+0.02 {
		t.Errorf("profiles have %v, in all %v J of %v", all, sum, of.Above)
	}
	if text := s.must(0, "profile", "show", "two"); !strings.Contains(text, "map on gpu in gpu") {
		t.Error(text)
	}
	for name, want := range map[string]string{
		"one":  `one.yaml:1:72: unknown key "fpga"`,
		"text": `text.yaml:1:6: map is a list`,
		"none": `none.yaml:5:13: gpus is 0, it must be above 0`,
		"less": `less.yaml:5:27: gpu_power is -30W, it must be above 0`,
	} {
		if got := s.run("run", name+".yaml").stderr; !strings.Contains(got, want) || strings.Count(strings.TrimSpace(got), "\n") > 1 {
			t.Errorf("%s says %s\nwant %s", name, got, want)
		}
	}
}
