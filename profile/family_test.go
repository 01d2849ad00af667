package profile

import "testing"

// What is known of a class goes before what is known of its family.
func TestNear(t *testing.T) {
	a, b, c := Member("grep", "a", 1), Member("grep", "", 2), Member("grep", "c", 3)
	sort := Member("sort", "a", 1)
	known := []*Class{{Name: "grep", Runs: 5}, {Name: a, Runs: 1}, {Name: b, Runs: 1, Cold: &Class{Runs: 6}}, {Name: sort, Runs: 9}, {Name: "night~a", Runs: 1}}
	for name, want := range map[string]string{"grep": "grep", a: a, c: b, "sort": sort, Member("sort", "b", 2): sort, "gre": "", "night~b": "", "night": ""} {
		is := ""
		if c := Near(known, name); c != nil {
			is = c.Name
		}
		if is != want {
			t.Errorf("%s goes by %q, want %q", name, is, want)
		}
	}
}
