package runs

import (
	"slices"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/runs/equip"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/profile"
)

// noise is how much comes from storage beside a run's input: parts of the program, of the store, and
// small files whose reading nobody would feel.
const noise = 1 << 20

// cold tells whether a run was cold for a class, of which so much was known before: the first of
// its class, or one that fetched at least a quarter of what its maps read from storage, and more
// than noise. Where the system does not count what was fetched (some systems, file systems of a
// network), only the first run is known to be cold.
func cold(known *profile.Class, fetched *int64, read int64) bool {
	if known == nil || known.Runs == 0 && (known.Cold == nil || known.Cold.Runs == 0) {
		return true
	}
	return fetched != nil && read > 0 && *fetched >= max(read/4, noise)
}

// Told is what people are told of each class: see profile.Class.Told.
func Told(known []*profile.Class) []*profile.Class { return each.Of(known, (*profile.Class).Told) }

// Whole is what all runs taught of some of the known classes, cold ones as well: what policies plan their worst cases
// by. Where there were cold ones models are fitted to it, if the policy reads profiles.
func Whole(some, known []*profile.Class, policy string) []*profile.Class {
	all := each.Of(some, (*profile.Class).Whole)
	if lab.Studies(policy, lab.NoQueues) {
		profile.Complete(all, known)
	}
	return all
}

// Families are those of the classes that its jobs may be of; none stands for all.
func (l *Local) Families() (list []string) {
	if l.Open { // it takes jobs of any class
		return nil
	}
	return each.Of(l.Files, func(f *scenario.Job) string { return profile.Family(f.Class) })
}

// whole is the same of the classes that its jobs may be of. Each run asks twice.
func (l *Local) whole(known []*profile.Class, policy string) []*profile.Class {
	again := len(known) > 0 && slices.Equal(l.Known, known)
	if again && l.planned == policy {
		return l.plans
	}
	some := known
	if of := l.Families(); of != nil {
		some = slices.DeleteFunc(slices.Clone(known), func(c *profile.Class) bool { return !slices.Contains(of, profile.Family(c.Name)) })
	}
	all := Whole(some, known, policy)
	if again {
		l.plans, l.planned = all, policy
	}
	return all
}

// input is what the maps of the jobs read, without those whose input another job writes.
func (l *Local) input() (bytes int64) {
	for _, j := range l.jobs {
		bytes += j.Size()
	}
	return bytes
}

// Small tells whether all that its jobs read is known, and little.
func (l *Local) Small() bool {
	return !l.Open && l.input() < 16*noise && !slices.ContainsFunc(l.jobs, func(j *equip.Job) bool { return j.Splits == nil })
}
