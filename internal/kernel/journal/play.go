package journal

import (
	"context"
	"fmt"
	"io"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/sched"
)

// Play has a policy decide upon what a recorded world said, and shows that to sinks. What the policy
// decides is compared with nothing and changes nothing. That tells what it would have advised if the
// recorded policy only watched: then nothing that the world said followed from a plan. It is asked
// at the recorded instants, those at which the recorded policy wanted to be woken among them.
func Play(ctx context.Context, r io.Reader, policy func(Header) (sched.Policy, []drive.Sink, error)) (Result, error) {
	in, err := NewReader(r)
	if err != nil {
		return Result{}, err
	}
	p, sinks, err := policy(in.Header)
	if err != nil {
		return Result{}, fmt.Errorf("line 1: %w", err)
	}
	re := &recording{in: in, result: Result{Header: in.Header}}
	err = drive.New(spoken{re}, p, sinks...).Run(ctx)
	return re.result, err
}

// spoken is a recording as a world alone.
type spoken struct{ *recording }

// Next returns the recorded events of the next round, without those that the ledger has to derive.
func (s spoken) Next(ctx context.Context) (drive.Batch, error) {
	b, err := s.say(ctx)
	if err == nil {
		s.result.Rounds++
		s.result.Events += int64(len(s.events))
	}
	return b, err
}
