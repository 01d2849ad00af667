package sim

import (
	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/sched"
)

// Map outputs lie on the disk of the node that made them until the job ends (paper 000, section 2;
// Hadoop), those of a map-only job in the file system, where nothing gets lost. When the node goes,
// an output that some task of the next stage has yet to read is told lost and its map runs again;
// one that nobody needs at the moment has vanished, and runs again should a reduce have to start
// over.

// readers returns the map stage of a job and the stage that reads its outputs, nil if there is none.
func (j *job) readers() (maps, readers *stage) {
	m := j.at[sched.Map]
	if m < 0 || int(m) == len(j.stages)-1 {
		return nil, nil
	}
	return &j.stages[m], &j.stages[m+1]
}

// keepOutput counts an output on a draining node, which has to wait for the job to end.
func (w *World) keepOutput(j *job, s *stage, n int32) {
	if w.draining > 0 && w.nodes[n].state == nodeDraining {
		if maps, _ := j.readers(); maps == s {
			w.nodes[n].outputs++
		}
	}
}

// countOutputs counts the outputs on the node that jobs may still read. O(tasks of jobs in the
// system), when a node starts to drain.
func (w *World) countOutputs(n int32) (count int32) {
	for h := range w.jobs {
		j := &w.jobs[h]
		if !j.Here {
			continue
		}
		if maps, _ := j.readers(); maps != nil {
			for t := range maps.tasks {
				if maps.tasks[t].State == truth.Done && maps.tasks[t].Node == n {
					count++
				}
			}
		}
	}
	return count
}

// releaseOutputs forgets the outputs of a job that is over.
func (w *World) releaseOutputs(j *job) {
	if w.draining == 0 {
		return
	}
	maps, _ := j.readers()
	if maps == nil {
		return
	}
	for t := range maps.tasks {
		if tk := &maps.tasks[t]; tk.State == truth.Done && w.nodes[tk.Node].state == nodeDraining {
			w.nodes[tk.Node].outputs--
			w.drained(tk.Node)
		}
	}
}

// loseOutputs tells which outputs went with the node. O(tasks of jobs in the system).
func (w *World) loseOutputs(n int32) {
	for h := range w.jobs {
		j := &w.jobs[h]
		if !j.Here {
			continue
		}
		maps, readers := j.readers()
		if maps == nil {
			continue
		}
		for t := range maps.tasks {
			if tk := &maps.tasks[t]; tk.State == truth.Done && tk.Node == n {
				tk.State = truth.Vanished
				j.vanished++
			}
		}
		if j.vanished > 0 && w.toRead(readers) {
			w.rerun(j, int32(h))
		}
	}
}

// toRead tells whether some task of the stage has yet to read its input.
func (w *World) toRead(readers *stage) bool {
	if readers.Open > 0 {
		return true
	}
	for a := readers.runs.first; a != 0; a = w.attempts[a].in[ofStage].next {
		if w.attempts[a].ready > w.now {
			return true
		}
	}
	return false
}

// missOutputs makes maps run again whose outputs have vanished, now that a task is open again that reads them.
func (w *World) missOutputs(j *job) {
	if !j.Here || j.vanished == 0 {
		return
	}
	if _, readers := j.readers(); readers.Open > 0 {
		w.rerun(j, j.link.handle)
	}
}

// rerun opens the maps again whose outputs have vanished.
func (w *World) rerun(j *job, h int32) {
	maps, _ := j.readers()
	for t := range maps.tasks {
		if tk := &maps.tasks[t]; tk.State == truth.Vanished {
			maps.Reopen(tk)
			w.emit(sched.Event{Kind: sched.OutputLost, Job: sched.JobID(h), Stage: sched.Map, Task: sched.TaskID(t + 1)})
		}
	}
	j.vanished = 0
	w.mapsMissing(j)
	w.refresh(j, maps, true)
}
