package workflow_test

import (
	"testing"

	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/queues"
)

// Parameters outside of their ranges are refused in one sentence.
func TestParameters(t *testing.T) {
	for text, want := range map[string]string{
		"flow(beta=99)":          "",
		"flow(beta=100)":         "beta is 100, it must be from 0 to 99 percent",
		"dawsee(beta=100)":       "beta is 100, it must be from 0 to 99 percent",
		"dawsee(eps=0)":          "eps is 0, it must be from 1 to 1000 percent",
		"dawsee(waiting=long)":   `waiting is "long", it must be one of cascade, timer, predict`,
		"edf+atp(eps=1000)":      "",
		"edf+vds+deets+tradeoff": "",
	} {
		_, err := catalog.New(text, queues.Config{})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if n := len(got) - len(want); want == "" && got != "" || n < 0 || got[n:] != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
