package conform

import (
	"maps"

	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// earlier remembers what was known while all jobs wait to be ranked again: until then a job may stand
// where what was known earlier puts it. Its page, and those of queues, it follows at once.
type earlier struct {
	known []knowledge // since all were ranked last
	waits bool        // to be ranked again
}

// knowledge is all that an order may read beside pages.
type knowledge struct {
	profiles  map[string]*profile.Class
	supplies  [sched.Supplies]*sched.Supply
	forecasts [sched.Supplies]*sched.Forecast
}

// Batch sees when the book is void, and nothing waits any more.
func (e *earlier) Batch(_ int64, _ units.Time, events []sched.Event) error {
	if len(events) > 0 && events[0].Kind == sched.Resync {
		e.known, e.waits = nil, false
	}
	return nil
}

// Plan looks for what ranks all jobs again, and for what will.
func (e *earlier) Plan(_ int64, _ units.Time, p *sched.Plan) error {
	for i := range p.Items {
		it := &p.Items[i]
		if it.Verb != sched.Rank || it.Job != 0 || it.Refused != sched.OK || e.waits && it.At == 0 {
			continue // what is held serves it too
		}
		if e.waits = it.Held; !it.Held {
			e.known = nil
		}
	}
	return nil
}

// look notes what is known after a step, and returns the views by which jobs may stand besides.
func (e *earlier) look(v sched.View) (views []sched.View) {
	if !e.waits {
		e.known = nil
	}
	is := knowledge{profiles: map[string]*profile.Class{}}
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		if job := v.Job(j); job != nil {
			is.profiles[job.Spec.Class] = v.Profile(job.Spec.Class)
		}
	}
	for k := range sched.Supplies {
		is.supplies[k], is.forecasts[k] = v.Supply(k), v.Forecast(k)
	}
	for i := range e.known {
		views = append(views, knowing{v, &e.known[i]})
	}
	if n := len(e.known); n == 0 || !e.known[n-1].same(&is) {
		e.known = append(e.known, is)
	}
	return views
}

func (k *knowledge) same(o *knowledge) bool {
	return k.supplies == o.supplies && k.forecasts == o.forecasts && maps.Equal(k.profiles, o.profiles)
}

// knowing is a book with what was known at another time.
type knowing struct {
	sched.View
	of *knowledge
}

// Profile returns what was known of a class.
func (v knowing) Profile(class string) *profile.Class {
	if c, is := v.of.profiles[class]; is {
		return c
	}
	return v.View.Profile(class)
}

// Supply returns what was told of a supply.
func (v knowing) Supply(k sched.SupplyKind) *sched.Supply { return v.of.supplies[k] }

// Forecast returns what was expected of a supply.
func (v knowing) Forecast(k sched.SupplyKind) *sched.Forecast { return v.of.forecasts[k] }
