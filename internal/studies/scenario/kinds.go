package scenario

import (
	"slices"

	"github.com/slackline/slackline/internal/config"
)

// written is a kind of file that people write, known by keys that no other kind has.
type written struct {
	name string
	keys []string
	cure string // what to do with such a file
}

// The kinds that are taken for each other.
var (
	jobFile      = &written{"a job file", []string{"app", "map", "output", "input", "inputs"}, "slackline run runs it, and slackline simulate plays it"}
	scenarioFile = &written{"a scenario", []string{"cluster", "workload"}, "slackline simulate plays it"}
	capacityFile = &written{"a file for slackline capacity", []string{"classes", "machines", "prices"}, "slackline capacity plans by it"}
)

// is tells whether a document has a key that only this kind has.
func (k *written) is(doc *config.Document) bool {
	return slices.ContainsFunc(doc.Keys(), func(key string) bool { return slices.Contains(k.keys, key) })
}

// read reads a document of this kind into a struct. One of another kind is told as that, and not key by key.
func (k *written) read(doc *config.Document, into any) {
	for _, other := range []*written{jobFile, scenarioFile, capacityFile} {
		if other != k && other.is(doc) && !k.is(doc) {
			doc.Errs = nil
			doc.Failf("", "this is %s, not %s: %s", other.name, k.name, other.cure)
			return
		}
	}
	doc.Read(into)
}

// IsJob tells whether the source looks like a job file rather than a scenario: by its keys. What
// cannot be read is no job.
func IsJob(src []byte) bool {
	docs, err := config.Parse("", src)
	return err == nil && jobFile.is(docs[0])
}
