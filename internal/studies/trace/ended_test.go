package trace

import (
	"strings"
	"testing"
)

// Where all jobs are left out, the error says so, also of a single one.
func TestNoOtherJob(t *testing.T) {
	failed := func(n int) string { return strings.TrimSuffix(jhistEnd("FAILED")(n), "\n") }
	one := failed(1)
	fatalInputs(t, "jhist", map[string]string{
		one:                    `t:21: jobStatus: that of job "job_1_0001" is FAILED; there is no other job in it`,
		one + "\n" + failed(2): `t:21: jobStatus: that of job "job_1_0001" is FAILED; and none of its other records is a job that can be played`,
	})
}
