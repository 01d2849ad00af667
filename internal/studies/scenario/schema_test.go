package scenario

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/slackline/slackline/internal/config"
)

// valid is a dumb validator of the part of JSON Schema that Schema uses.
func valid(schema map[string]any, v any, at string) error {
	if types, ok := schema["type"]; ok {
		list, several := types.([]any)
		if !several {
			list = []any{types}
		}
		if !slices.ContainsFunc(list, func(t any) bool { return is(t.(string), v) }) {
			return fmt.Errorf("%s: %v is not of type %v", at, v, types)
		}
	}
	if any, ok := schema["anyOf"].([]any); ok {
		var last error
		for _, s := range any {
			if last = valid(s.(map[string]interface{}), v, at); last == nil {
				break
			}
		}
		if last != nil {
			return last
		}
	}
	switch v := v.(type) {
	case string:
		if p, ok := schema["pattern"].(string); ok && !regexp.MustCompile(p).MatchString(v) {
			return fmt.Errorf("%s: %q does not match %s", at, v, p)
		}
		if e, ok := schema["enum"].([]any); ok && !slices.Contains(e, any(v)) {
			return fmt.Errorf("%s: %q is none of %v", at, v, e)
		}
	case float64:
		if m, ok := schema["minimum"].(float64); ok && v < m {
			return fmt.Errorf("%s: %v < %v", at, v, m)
		}
		if m, ok := schema["maximum"].(float64); ok && v > m {
			return fmt.Errorf("%s: %v > %v", at, v, m)
		}
		if m, ok := schema["exclusiveMinimum"].(float64); ok && v <= m {
			return fmt.Errorf("%s: %v <= %v", at, v, m)
		}
	case []any:
		if n, ok := schema["minItems"].(float64); ok && len(v) < int(n) {
			return fmt.Errorf("%s: too short", at)
		}
		if items, ok := schema["items"].(map[string]any); ok {
			for i, e := range v {
				if err := valid(items, e, fmt.Sprintf("%s[%d]", at, i)); err != nil {
					return err
				}
			}
		}
	case map[string]any:
		properties, _ := schema["properties"].(map[string]any)
		for key, e := range v {
			s, ok := properties[key].(map[string]any)
			if !ok {
				if schema["additionalProperties"] == false {
					return fmt.Errorf("%s: unknown key %q", at, key)
				}
				if s, ok = schema["additionalProperties"].(map[string]any); !ok {
					continue
				}
			}
			if err := valid(s, e, at+"."+key); err != nil {
				return err
			}
		}
		needed, _ := schema["required"].([]any)
		for _, key := range needed {
			if _, ok := v[key.(string)]; !ok {
				return fmt.Errorf("%s: %v is missing", at, key)
			}
		}
	}
	return nil
}

func is(t string, v any) bool {
	switch v := v.(type) {
	case string:
		return t == "string"
	case bool:
		return t == "boolean"
	case float64:
		return t == "number" || t == "integer" && v == math.Trunc(v)
	case []any:
		return t == "array"
	case map[string]any:
		return t == "object"
	}
	return false
}

func schemaOf(t testing.TB, kind string) map[string]any {
	text, err := Schema(kind)
	if err != nil {
		t.Fatal(err)
	}
	var s map[string]any
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON reads YAML as a program with a JSON Schema would: through another decoder.
func asJSON(src []byte) (v any, err error) {
	text, err := yaml.YAMLToJSON(src)
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	return v, err
}

func TestSchemaTakesWhatTheDecoderTakes(t *testing.T) {
	two, err := os.ReadFile(twoJobs)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ kind, src string }{{"scenario", string(two)}, {"scenario", full}, {"job", job}} {
		v, err := asJSON([]byte(c.src))
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(schemaOf(t, c.kind), v, c.kind); err != nil {
			t.Error(err)
		}
	}
}

// Numbers may have an exponent wherever the decoder takes one.
func TestSchemaTakesExponents(t *testing.T) {
	src := "cluster: {nodes: 2, idle_power: 1e3W, dynamic_power: 2.5E-1kW, sleep_power: 0}\nworkload: {trace: {format: swim, file: ../../../examples/traces/swim.tsv, deadlines: {share: 1, factor: 1e0..1.5e1}}}\n"
	if _, err := Read("s.yaml", []byte(src)); err != nil {
		t.Error(err)
	}
	v, err := asJSON([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if err := valid(schemaOf(t, "scenario"), v, "scenario"); err != nil {
		t.Error(err)
	}
}

// Every name that people write is bounded by the one rule, in whatever file, and the schema says so.
func TestNamesAreBounded(t *testing.T) {
	var walk func(at string, schema any)
	names := 0
	walk = func(at string, schema any) {
		switch s := schema.(type) {
		case []any:
			for _, e := range s {
				walk(at, e)
			}
		case map[string]any:
			properties, _ := s["properties"].(map[string]any)
			for key, p := range properties {
				if slices.Contains([]string{"name", "id", "class", "queue", "user", "node", "after", "labels"}, key) {
					if text, err := json.Marshal(p); err != nil || strings.Contains(string(text), `"string"`) && !strings.Contains(string(text), `"maxLength":100`) {
						t.Errorf("%s.%s has no bound: %s", at, key, text)
					}
					names++
				}
			}
			for key, e := range s {
				walk(at+"."+key, e)
			}
		}
	}
	for _, kind := range Schemas() {
		walk(kind, any(schemaOf(t, kind)))
	}
	if names < 20 {
		t.Errorf("only %d names", names)
	}
	long := strings.Repeat("ü", 101)
	for text, want := range map[string]string{
		"app: wordcount\ninput: x\noutput: y\nclass: " + long:            "j.yaml:4:8: class has 101 characters, it must have at most 100",
		"app: wordcount\ninput: x\noutput: y\nafter: [a, " + long + "]":  "j.yaml:4:12: after[1] has 101 characters, it must have at most 100",
		"app: wordcount\ninput: x\noutput: y\nqueue: " + long[2:] + "\n": "",
	} {
		if _, err := ReadJobs("j.yaml", []byte(text)); want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	queues := "cluster: {nodes: 2}\nworkload: {jobs: [{id: a, maps: 1, map_time: 1s}]}\n" + "queues: [{name: " + long + "}]\n"
	if _, err := Read("s.yaml", []byte(queues)); err == nil || !strings.Contains(err.Error(), "s.yaml:3:17: name has 101 characters") {
		t.Error(err)
	}
}

func TestSchemaRefuses(t *testing.T) {
	for _, src := range []string{
		"app: a\ninput: b\noutput: c\nreducers: 1\n",
		"app: a\ninput: b\n",
		"app: a\ninput: b\noutput: c\nreduces: -1\n",
		"app: a\ninput: b\noutput: c\ndeadline: soon\n",
		"app: a\ninput: b\noutput: c\nweight: 0\n",
		"app: a\ninput: {b: c}\noutput: c\n",
	} {
		if err := readAny("job", src); err == nil {
			t.Errorf("the decoder takes\n%s", src)
		}
		v, err := asJSON([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if valid(schemaOf(t, "job"), v, "job") == nil {
			t.Errorf("the schema takes\n%s", src)
		}
	}
	if _, err := Schema("jobs"); err == nil || err.Error() != `there is no schema of "jobs"; did you mean "job"?` {
		t.Error(err)
	}
}

// Every key has a sentence of help, which is also what an error about a missing one says.
func TestEveryKeyIsExplained(t *testing.T) {
	keys := 0
	var look func(at string, shape any)
	look = func(at string, shape any) {
		switch s := shape.(type) {
		case []any:
			for _, e := range s {
				look(at, e)
			}
		case map[string]any:
			properties, _ := s["properties"].(map[string]any)
			for key, value := range properties {
				keys++
				if value.(map[string]any)["description"] == nil {
					t.Errorf("%s.%s has no doc", at, key)
				}
				look(at+"."+key, value)
			}
			look(at, s["items"])
			look(at, s["anyOf"])
		}
	}
	for _, kind := range Schemas() {
		look(kind, schemaOf(t, kind))
	}
	if keys < 200 {
		t.Errorf("only %d keys were seen", keys)
	}
}

const job = "name: words\napp: wordcount\ninput: [corpus/]\noutput: out/words\nreduces: 4\ndeadline: 60s\nsoft_deadline: 30s\nparams: {a: b}\nafter: [x]\n"

// FuzzScenario: no input makes the reader panic, and an error always names the file; what is taken
// is a simulation that is valid.
func FuzzScenario(f *testing.F) {
	two, err := os.ReadFile(twoJobs)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(two)
	f.Add([]byte(full))
	f.Add([]byte("cluster: &a {nodes: 1, classes: [*a]}\nworkload: {jobs: [{id: x, maps: 99999999, map_time: 0s}]}"))
	f.Fuzz(func(t *testing.T, src []byte) {
		doc, err := config.ParseOne("f.yaml", src)
		var s *Scenario
		if err == nil {
			s, err = read(doc, Resize{}, 1000)
		}
		if err != nil {
			if _, ok := err.(config.Errors); !ok {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		c := s.Sim(1)
		if err := c.Validate(); err != nil {
			t.Fatalf("the scenario is taken, the simulation says: %v", err)
		}
	})
}

// FuzzJob: as FuzzScenario, and what the decoder takes the schema takes too.
func FuzzJob(f *testing.F) {
	f.Add([]byte(job))
	f.Add([]byte("app: wordcount\ninput: x\noutput: y\ndeadline: 2030-01-31T18:00:00Z\nweight: 2.5\nslow_start: 1\narrive: 1m30s\n"))
	schema := schemaOf(f, "job")
	f.Fuzz(func(t *testing.T, src []byte) {
		j, err := ReadJob("f.yaml", src)
		if err != nil {
			return
		}
		if _, err := Submit([]*Job{j}, time.Unix(0, 0)); err != nil {
			return
		}
		v, err := asJSON(src)
		if err != nil {
			return // the two YAML readers differ in corners
		}
		if err := valid(schema, v, "job"); err != nil {
			t.Fatal(err)
		}
	})
}
