package dag

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/slackline/slackline/units"
)

// instance is a file of WfCommons: from 1.5 on the structure and the times stand apart, before that together.
type instance struct {
	Name     string `json:"name"`
	Workflow *struct {
		Specification struct {
			Tasks []instanceTask `json:"tasks"`
		} `json:"specification"`
		Execution struct {
			Tasks []instanceTask `json:"tasks"`
		} `json:"execution"`
		Tasks []instanceTask `json:"tasks"`
		Jobs  []instanceTask `json:"jobs"` // 1.0 and 1.1
	} `json:"workflow"`
}

type instanceTask struct {
	Name     string   `json:"name"`
	ID       string   `json:"id"`
	Category string   `json:"category"`
	Parents  []string `json:"parents"`
	Children []string `json:"children"`
	Runtime  *float64 `json:"runtimeInSeconds"`
	Before   *float64 `json:"runtime"` // what older files call that
	Command  struct{ Program string }
}

// WfCommons reads an instance. Its tasks are programs that ran once. Those of one kind that stand behind equally many
// others are one job here, with as many maps, each of which takes their mean time: what differs between them is lost,
// and who waits for one of them waits for all.
func WfCommons(src []byte) (*Workflow, error) {
	var in instance
	if err := json.Unmarshal(src, &in); err != nil {
		at := 1
		if syntax, is := errors.AsType[*json.SyntaxError](err); is {
			at += bytes.Count(src[:syntax.Offset], []byte("\n"))
		} else if kind, is := errors.AsType[*json.UnmarshalTypeError](err); is {
			at += bytes.Count(src[:kind.Offset], []byte("\n"))
			err = fmt.Errorf("%s cannot be a %s", kind.Field, kind.Value)
		}
		return nil, fmt.Errorf("line %d: %w", at, err)
	}
	if in.Workflow == nil {
		return nil, errors.New(`it has no "workflow"; an instance of WfCommons has one`)
	}
	tasks := slices.Concat(in.Workflow.Specification.Tasks, in.Workflow.Tasks, in.Workflow.Jobs)
	took, program := make(map[string]float64), make(map[string]string)
	for _, list := range [][]instanceTask{in.Workflow.Execution.Tasks, tasks} {
		for i := range list {
			t := &list[i]
			program[t.key()] = cmp.Or(t.Command.Program, program[t.key()])
			for _, s := range []*float64{t.Runtime, t.Before} {
				if s == nil {
					continue
				}
				if !(*s >= 0 && *s < 1e9) {
					return nil, fmt.Errorf("task %q took %v seconds, which is not from 0 to 1e9", t.key(), *s)
				}
				took[t.key()] = *s
			}
		}
	}
	each := &Workflow{Name: cmp.Or(in.Name, "workflow")}
	byName := make(map[string]string) // older files have parents by name
	for i := range tasks {
		byName[tasks[i].Name] = tasks[i].key()
	}
	known := func(name string) string {
		if _, is := program[name]; !is {
			name = cmp.Or(byName[name], name)
		}
		return name
	}
	before := make(map[string][]string) // as tasks say whom they lead to
	for i := range tasks {
		for _, c := range tasks[i].Children {
			before[known(c)] = append(before[known(c)], tasks[i].key())
		}
	}
	for i := range tasks {
		tasks[i].Category = cmp.Or(tasks[i].Category, program[tasks[i].key()])
		j := Job{ID: tasks[i].key(), Maps: 1}
		for _, p := range slices.Concat(tasks[i].Parents, before[j.ID]) {
			if p = known(p); !slices.Contains(j.After, p) {
				j.After = append(j.After, p)
			}
		}
		each.Jobs = append(each.Jobs, j)
	}
	if err := each.check(); err != nil {
		return nil, err
	}
	return joined(each, tasks, took), nil
}

func (t *instanceTask) key() string { return cmp.Or(t.ID, t.Name) }

// kind is what a task is one of: its category or program, or its name without a number at the end.
func (t *instanceTask) kind() string {
	if t.Category != "" {
		return t.Category
	}
	name := strings.TrimRight(t.Name, "0123456789")
	return strings.TrimRight(strings.TrimSuffix(name, "ID"), "_-.# ")
}

// joined makes a job of the tasks of one kind on one level.
func joined(each *Workflow, tasks []instanceTask, took map[string]float64) *Workflow {
	w, level := &Workflow{Name: each.Name}, each.ends(func(*Job) units.Duration { return 1 })
	place, of := map[string]int{}, make(map[string]int, len(tasks)) // the job of a kind and level, and of each task
	var sum []float64
	var timed []int // tasks of which it is known what they took
	for i := range tasks {
		key := fmt.Sprintf("%s-%d", tasks[i].kind(), level[i]-1)
		k, there := place[key]
		if !there {
			k = len(w.Jobs)
			place[key], w.Jobs, sum = k, append(w.Jobs, Job{ID: key}), append(sum, 0)
			timed = append(timed, 0)
		}
		of[each.Jobs[i].ID] = k
		w.Jobs[k].Maps++
		if t, is := took[each.Jobs[i].ID]; is {
			sum[k], timed[k] = sum[k]+t, timed[k]+1
		}
	}
	for i := range each.Jobs {
		j := &w.Jobs[of[each.Jobs[i].ID]]
		for _, p := range each.Jobs[i].After {
			if before := w.Jobs[of[p]].ID; !slices.Contains(j.After, before) {
				j.After = append(j.After, before)
			}
		}
	}
	for k := range w.Jobs {
		if timed[k] > 0 { // what took no time takes the least that a scenario can say
			w.Jobs[k].Time = max(units.Millisecond, units.FromSeconds(sum[k]/float64(timed[k])))
		}
	}
	return w
}
