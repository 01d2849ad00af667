package runs

import (
	"time"

	"github.com/slackline/slackline/internal/kernel/store"
)

// write writes what has changed, again and again.
func (k *Keeper) write() {
	t := time.NewTicker(writeEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if err := k.save(store.Change{}); err != nil {
				k.lock.Lock()
				k.broken = err
				k.lock.Unlock()
				return
			}
		case <-k.stop:
			return
		}
	}
}

// save writes what has changed, and c with it.
func (k *Keeper) save(c store.Change) error {
	if err := k.number(); err != nil {
		return err
	}
	changed := k.changes()
	c.Jobs, c.Attempts = changed.Jobs, changed.Attempts
	return k.live.Save(c)
}

// number gives rows to the jobs that have come from a cluster.
func (k *Keeper) number() error {
	k.lock.Lock()
	fresh := k.fresh
	k.fresh = nil
	rows := make([]*store.Job, len(fresh))
	for i, j := range fresh {
		rows[i] = new(j.row)
	}
	k.lock.Unlock()
	if len(fresh) == 0 {
		return nil
	}
	err := k.live.Add(rows)
	k.lock.Lock()
	defer k.lock.Unlock()
	for i, j := range fresh {
		j.row.ID, j.row.Run, j.row.Policy, j.row.First = rows[i].ID, rows[i].Run, rows[i].Policy, rows[i].First
		k.change(j)
	}
	return err
}

// changes takes what has to be written. What is of a job without a row waits until it has one.
func (k *Keeper) changes() (c store.Change) {
	k.lock.Lock()
	defer k.lock.Unlock()
	for _, j := range k.dirty {
		if row := j.row; row.ID != 0 {
			c.Jobs = append(c.Jobs, &row)
		}
		j.dirty = false
	}
	k.dirty = k.dirty[:0]
	var later []*keptAttempt
	for _, a := range k.rows {
		if a.row.Job = a.job.row.ID; a.row.Job == 0 {
			later = append(later, a)
			continue
		}
		c.Attempts = append(c.Attempts, a.row)
	}
	k.rows = later
	return c
}
