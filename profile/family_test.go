package profile

import "testing"

// What is known of a class goes before what is known of its family.
func TestNear(t *testing.T) {
	known := []*Class{{Name: "grep", Runs: 5}, {Name: Member("grep", "a"), Runs: 1}, {Name: Member("grep", "b"), Runs: 7}, {Name: Member("sort", "a"), Runs: 9}}
	for name, want := range map[string]string{"grep": "grep", "grep~a": "grep~a", "grep~c": "grep~b", "sort": "sort~a", "sort~b": "sort~a", "gre": ""} {
		is := ""
		if c := Near(known, name); c != nil {
			is = c.Name
		}
		if is != want {
			t.Errorf("%s goes by %q, want %q", name, is, want)
		}
	}
}
