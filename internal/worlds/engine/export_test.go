package engine

import "fmt"

// Looks is how often the loop has looked at a job so far.
func (w *World) Looks() int { return w.looks }

// Miscounted says where what is counted differs from what a search through all jobs finds, "" if nowhere.
func (w *World) Miscounted() string {
	present, waits, stages := 0, map[*want]int{}, map[*want]int{}
	for h, j := range w.jobs {
		if j == nil {
			continue
		}
		present++
		if int(j.id) != h || j.over || w.known[j.cfg.Spec.ID].job != j {
			return fmt.Sprintf("handle %d is also that of job %q, which has handle %d", h, j.cfg.Spec.ID, j.id)
		}
		for _, s := range j.stages {
			stages[s.want]++
			if s.Waits(j.now()) {
				waits[s.want]++
			}
		}
		if len(j.stages) < 2 {
			continue
		}
		for i := range j.stages[0].tasks {
			if t := &j.stages[0].tasks[i]; t.out != nil && t.Node > 0 && !w.nodes[t.Node].outputs[j] {
				return fmt.Sprintf("node %d does not know that it holds map output of job %q", t.Node, j.cfg.Spec.ID)
			}
		}
	}
	for n, nd := range w.nodes {
		if n > 0 && nd.lease == leaving && (len(nd.outputs) > 0 || nd.Free != nd.Spec.Class.Capacity) {
			return fmt.Sprintf("node %d was given back with map output of %d jobs, %v of it free", n, len(nd.outputs), nd.Free)
		}
	}
	for id, k := range w.known {
		if k.job != nil && !k.job.arrived {
			present++
		} else if k.over != (k.job == nil) {
			return fmt.Sprintf("job %q is over and not over", id)
		}
	}
	if present != w.present {
		return fmt.Sprintf("%d jobs are present, counted %d", present, w.present)
	}
	for _, k := range w.wants {
		if k.stages != stages[k] || k.stages == 0 {
			return fmt.Sprintf("%d stages want %v on nodes with labels %v, counted %d", stages[k], k.kinds, k.labels, k.stages)
		}
		if k.waits != waits[k] {
			return fmt.Sprintf("%d stages wait for %v on nodes with labels %v, counted %d", waits[k], k.kinds, k.labels, k.waits)
		}
		delete(waits, k)
	}
	if len(waits) > 0 {
		return fmt.Sprintf("%d kinds of containers are waited for that nobody counts", len(waits))
	}
	return ""
}
