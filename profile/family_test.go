package profile

import "testing"

// A class of which nothing is known goes by its family, and what a class teaches its family learns.
func TestFamily(t *testing.T) {
	var s Set
	s.Put(&Class{Name: "grep", Runs: 5})
	s.Put(&Class{Name: Member("grep", "a"), Runs: 1})
	for name, runs := range map[string]int64{"grep": 5, Member("grep", "a"): 1, Member("grep", "b"): 5, "gre": 0, Member("sort", "a"): 0} {
		is := int64(0)
		if c := s.For(name); c != nil {
			is = c.Runs
		}
		if is != runs {
			t.Errorf("%s: known of %d runs, want %d", name, is, runs)
		}
	}
	taught := []*Class{{Name: "sort", Runs: 1}, {Name: Member("grep", "a"), Runs: 2}}
	if all := WithFamilies(taught); len(all) != 3 || all[2].Name != "grep" || all[2].Runs != 2 || len(taught) != 2 || taught[1].Name != "grep~a" {
		t.Errorf("taught %v", all)
	}
}
