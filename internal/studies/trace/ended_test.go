package trace

import (
	"strings"
	"testing"
)

// Where all jobs are left out, the error says so, also of a single one.
func TestNoOtherJob(t *testing.T) {
	failed := `{"jobID":"job_1","submitTime":5,"outcome":"FAILED","mapTasks":[],"reduceTasks":[]}`
	fatalInputs(t, "rumen", map[string]string{
		failed: `t:1: outcome: that of job "job_1" is FAILED; there is no other job in it`,
		failed + "\n" + strings.Replace(failed, "job_1", "job_2", 1): `t:1: outcome: that of job "job_1" is FAILED; and none of its other records is a job that can be played`,
	})
}
