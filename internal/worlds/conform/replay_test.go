package conform

import (
	"bytes"
	"context"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/journal"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/sched"
)

// What the unkind world says can be recorded and decided again, to the byte: ages, stages that grow, yields and all.
func TestUnkindRunsReplay(t *testing.T) {
	t.Parallel()
	for _, text := range everyone() {
		said := map[string]bool{}
		// With the fifth seed the policy is watched first.
		for seed := range uint64(max(5, runs(15))) {
			fresh := func() sched.Policy {
				p, err := catalog.New(text, pools())
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			s := unkind(1)
			w := s.New(t, seed)
			var record bytes.Buffer
			j, err := journal.NewWriter(&record, journal.Header{World: w.Can(), Policy: text, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			if err := drive.New(&school{World: w}, fresh(), j).Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
			for _, word := range []string{" age=", `"grows":true`, "control=yield", "control=take-over", "control=watch", "refused=watched", "resync"} {
				said[word] = said[word] || bytes.Contains(record.Bytes(), []byte(word))
			}
			if got, err := journal.Replay(context.Background(), &record, func(journal.Header) (sched.Policy, error) { return fresh(), nil }); err != nil || got.Cut {
				t.Fatalf("%s, seed %d: %+v, %v", text, seed, got, err)
			}
		}
		for word, was := range said {
			if !was && !testing.Short() {
				t.Errorf("%s: no journal says %q: this tests nothing", text, word)
			}
		}
	}
}
