//go:build invariants

package sim

import (
	"fmt"
	"testing"

	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// The audit finds each of these in a world that is in order but for it.
func TestAuditFinds(t *testing.T) {
	busy := func(t *testing.T) *World {
		c := Config{Cluster: uniform(4, 2, 2, 1), Heartbeat: sec, Progress: 5 * sec, Network: Network{Fabric: 100, Link: 100}, Sizes: []SizeStep{{At: at(17), Nodes: 3}, {At: at(90), Nodes: 4}},
			Workload: load(shape{id: "a", maps: 12, mapS: 10, reduces: 2, shufS: 9, reduS: 9, slow: 0.1}, shape{id: "b", maps: 9, mapS: 7}, shape{id: "c", arrive: 3, maps: 1, mapS: 1, after: []string{"a"}})}
		d := newDriver(t, c)
		for d.at < at(18) {
			if more, err := d.step(); err != nil || !more {
				t.Fatal(more, err)
			}
		}
		d.w.audit()
		return d.w
	}
	find := func(w *World, ok func(at *attempt) bool) *attempt {
		for a := range w.attempts {
			if at := &w.attempts[a]; at.job > 0 && ok(at) {
				return at
			}
		}
		t.Fatal("there is no such attempt")
		return nil
	}
	timed := func(at *attempt) bool { return at.timed }
	for name, hurt := range map[string]func(w *World){
		"room":              func(w *World) { w.nodes[1].Free[units.MapSlots]++ },
		"negative room":     func(w *World) { w.nodes[2].Free[units.ReduceSlots] = -1 },
		"open":              func(w *World) { w.jobs[1].stage(sched.Map).Open++ },
		"done":              func(w *World) { w.jobs[1].stage(sched.Map).Done-- },
		"occupied":          func(w *World) { w.jobs[1].stage(sched.Reduce).Busy++ },
		"live":              func(w *World) { w.jobs[1].stage(sched.Reduce).tasks[0].Live++ },
		"status":            func(w *World) { w.jobs[1].stage(sched.Reduce).tasks[0].State = truth.Done },
		"waits":             func(w *World) { s := w.jobs[1].stage(sched.Map); s.waits = !s.waits },
		"stages of a kind":  func(w *World) { w.kinds[0].stages++ },
		"kinds waited for":  func(w *World) { w.waiting = append(w.waiting, 1, 1) },
		"nodes with room":   func(w *World) { w.kinds[0].room.put(1, !w.kinds[0].room.has(1)) },
		"summary of nodes":  func(w *World) { w.kinds[0].room.some[0] ^= 1 },
		"timed":             func(w *World) { w.timed++ },
		"coming":            func(w *World) { w.coming-- },
		"present":           func(w *World) { w.present++ },
		"draining":          func(w *World) { w.draining++ },
		"outputs":           func(w *World) { w.nodes[4].outputs++ },
		"missing":           func(w *World) { w.jobs[3].link.missing-- },
		"vanished":          func(w *World) { w.jobs[1].vanished++ },
		"maps' end":         func(w *World) { w.jobs[1].mapsEnd = w.now },
		"free handle":       func(w *World) { w.freeAttempts = append(w.freeAttempts, 1) },
		"entry in the past": func(w *World) { w.queue.top().at = w.now - 1 },
		"order of entries":  func(w *World) { w.queue.top().at = units.Never },
		"entry dropped":     func(w *World) { at := find(w, timed); at.gen++ },
		"end":               func(w *World) { w.paces[w.queue.top().arg].left /= 2 },
		"slowness":          func(w *World) { w.nodes[find(w, timed).node].factor = 2 },
		"report":            func(w *World) { w.reporting = false },
		"flows":             func(w *World) { w.fabric.flows++ },
		"fetches":           func(w *World) { find(w, func(at *attempt) bool { return !at.timed }).fetching = true },
		"list of a node":    func(w *World) { w.nodes[1].runs = running{} },
		"list of a stage":   func(w *World) { w.jobs[1].stage(sched.Reduce).runs.last = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			w := busy(t)
			hurt(w)
			defer func() {
				if r := recover(); r == nil {
					t.Error("the audit found nothing")
				} else {
					t.Log(fmt.Sprint(r))
				}
			}()
			w.calls = 0
			w.audit()
		})
	}
}
