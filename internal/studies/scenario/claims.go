package scenario

import (
	"fmt"

	"github.com/slackline/slackline/internal/config"
)

// Claims is what stands in a file for slackline yarn serve --claims: who may claim what in the queues of a cluster.
type Claims struct {
	Queues []Claim `json:"queues" need:"yes" some:"yes" doc:"queues of the cluster; in one that is not among them holds what is said of the nearest above it, and where nothing is said nobody may claim anything"`
}

// Claim is what may be claimed in one queue.
type Claim struct {
	Queue   string       `json:"queue" need:"yes" label:"yes" doc:"the queue as YARN calls it, such as root.etl"`
	Users   config.Texts `json:"users" doc:"users who may claim deadlines and weights, * for everybody; nobody if left out"`
	Soonest config.Span  `json:"soonest" min:"0" doc:"the least time that a claimed deadline leaves a job; any if left out"`
	Weight  float64      `json:"weight" above:"0" max:"1e6" doc:"the largest weight that may be claimed; any if left out"`
	Default config.Span  `json:"default" above:"0" doc:"time that a job gets which claims no deadline; as long as it takes if left out"`
}

// ReadClaims reads such a file. The error, if any, is a config.Errors.
func ReadClaims(file string, src []byte) (*Claims, error) {
	doc, err := config.ParseOne(file, src)
	if err != nil {
		return nil, err
	}
	c := &Claims{}
	doc.Read(c)
	at := make(map[string]int)
	for i, q := range c.Queues {
		if first, twice := at[q.Queue]; twice && q.Queue != "" {
			doc.Failf(fmt.Sprintf("queues[%d].queue", i), "queue %q is in the file twice, at first in entry %d", q.Queue, first+1)
		}
		at[q.Queue] = i
	}
	return c, doc.Err()
}
