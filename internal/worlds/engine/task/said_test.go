package task

import (
	"fmt"
	"strings"
	"testing"
)

func TestSaid(t *testing.T) {
	var s Said
	if s.String() != "" {
		t.Error("nothing was said")
	}
	s.Line("a")
	s.Line("")
	s.Line("b \xff")
	if got := s.String(); got != "a\n\nb ?\n" {
		t.Errorf("%q", got)
	}
	for i := range 100_000 {
		s.Line(fmt.Sprint(i))
	}
	got := s.String()
	if !strings.HasSuffix(got, "99998\n99999\n") || len(got) > mostSaid+100 || !strings.HasPrefix(got, "… ") {
		t.Errorf("%d bytes, %.40q", len(got), got)
	}
	kept := strings.Count(got, "\n") - 1
	if want := fmt.Sprintf("… %d earlier lines\n", 100_003-kept); !strings.HasPrefix(got, want) {
		t.Errorf("%.40q, want %q", got, want)
	}
	s.Line(strings.Repeat("x", 10*mostSaid))
	if n := len(s.String()); n > mostSaid+100 {
		t.Errorf("%d bytes", n)
	}
	(*Said)(nil).Line("nobody listens")
}
