package scenario

import (
	"fmt"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/policies/queues"
)

// ofLeaves are the keys that say something of the jobs of a queue, so they do nothing where no job
// stands: in a queue with others below it.
var ofLeaves = []string{"weight", "min_maps", "min_reduces", "jobs", "min_share_timeout", "minimum_user_limit", "user_limit_factor",
	"max_master_share", "confidence"}

// innerQueues refuses such keys.
func innerQueues(d *config.Document, path string, list []queues.Queue) {
	for i := range list {
		q, at := &list[i], fmt.Sprintf("%s[%d]", path, i)
		if key := at + ".user_limit_factor"; q.UserLimitFactor == 0 && d.Has(key) {
			d.Failf(key, "queue %q: user_limit_factor is 0, it must be above 0, or -1 for no limit; without the key it is 1", q.Name)
		}
		if len(q.Queues) == 0 {
			continue
		}
		for _, key := range ofLeaves {
			if d.Has(at + "." + key) {
				d.Failf(at+"."+key, "queue %q: %s has no effect here, as jobs are in the queues below it; set it for those", q.Name, key)
			}
		}
		innerQueues(d, at+".queues", q.Queues)
	}
}
