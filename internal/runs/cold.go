package runs

import (
	"slices"

	"github.com/slackline/slackline/internal/maths/each"
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

// whole is the same of the classes that its jobs may be of, and of those of their families.
func (l *Local) whole(known []*profile.Class, policy string) []*profile.Class {
	some := known
	if !l.Open { // else it takes jobs of any class
		some = nil
		for _, c := range known {
			if slices.ContainsFunc(l.Files, func(f *scenario.Job) bool { return profile.Family(f.Class) == profile.Family(c.Name) }) {
				some = append(some, c)
			}
		}
	}
	return Whole(some, known, policy)
}

// input is what the maps of the jobs read, without those whose input another job writes.
func (l *Local) input() (bytes int64) {
	for _, j := range l.jobs {
		bytes += j.Size()
	}
	return bytes
}
