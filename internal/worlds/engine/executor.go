package engine

import (
	"context"

	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/units"
)

// Executor runs the attempts of a job: in this process, through commands that speak Hadoop
// Streaming, or in processes of the user's own program. It is used by several goroutines at once.
// Whatever way it goes, an attempt does with its directories what task.Map and task.Reduce do, and
// has ended with all its processes when the call returns.
type Executor interface {
	Map(ctx context.Context, c task.MapConfig) (*task.Output, task.Stats, error)
	Reduce(ctx context.Context, c task.ReduceConfig) (task.Stats, error)
	// Close ends what is kept from one attempt to the next. Attempts may follow nevertheless: those of another run.
	Close()
}

// inProcess calls the program of the attempt.
type inProcess struct{}

func (inProcess) Map(ctx context.Context, c task.MapConfig) (*task.Output, task.Stats, error) {
	return task.Map(ctx, c)
}

func (inProcess) Reduce(ctx context.Context, c task.ReduceConfig) (task.Stats, error) {
	return task.Reduce(ctx, c)
}

func (inProcess) Close() {}

func (j *job) executor() Executor {
	if j.cfg.Executor != nil {
		return j.cfg.Executor
	}
	return inProcess{}
}

// timeout is how long an attempt may stand still.
func (w *World) timeout(a *attempt) units.Duration {
	if own := a.job.cfg.Timeout; own > 0 {
		return own
	}
	return w.cfg.Timeout
}
