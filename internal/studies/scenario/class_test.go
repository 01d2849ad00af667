package scenario

import (
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/profile"
)

// Jobs are of one class if their application, parameters and formats are the same, but for dates; of one family if the
// application is.
func TestClasses(t *testing.T) {
	class := func(day int, text string) string {
		v := &Vars{AsOf: time.Date(2030, 1, day, 0, 0, 0, 0, time.UTC)}
		jobs, err := v.Read("j.yaml", []byte("name: j\ninput: i\noutput: o\n"+text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return jobs[0].Class
	}
	plain := class(1, "app: grep\nparams: {pattern: Error}\n")
	if profile.Family(plain) != "grep" || plain != strings.ToLower(plain) || !strings.HasPrefix(plain, "grep~error-") {
		t.Errorf("a pattern of letters has the class %q", plain)
	}
	for name, c := range map[string]struct {
		text string
		same bool
	}{
		"the same":          {"app: grep\nparams: {pattern: Error}\n", true},
		"another case":      {"app: grep\nparams: {pattern: error}\n", false},
		"another pattern":   {"app: grep\nparams: {pattern: '(a|b)*c'}\n", false},
		"more parameters":   {"app: grep\nparams: {pattern: Error, ignore_case: true}\n", false},
		"another format":    {"app: grep\nparams: {pattern: Error}\ninput_format: json\n", false},
		"compressed output": {"app: grep\nparams: {pattern: Error}\ncompress: gzip\n", false},
	} {
		if is := class(1, c.text); (is == plain) != c.same || profile.Family(is) != "grep" {
			t.Errorf("%s: the class is %q, beside %q", name, is, plain)
		}
	}
	if a, b := class(1, "app: grep\nparams: {pattern: '{day}'}\n"), class(2, "app: grep\nparams: {pattern: '{day}'}\n"); a != b {
		t.Errorf("a pattern that is the day makes the classes %q and %q", a, b)
	}
	for want, text := range map[string]string{"wordcount": "app: wordcount\n", "j": "map: cat\n", "mine": "app: grep\nclass: mine\nparams: {pattern: x}\n"} {
		if is := class(1, text); is != want {
			t.Errorf("%q has the class %q, want %q", text, is, want)
		}
	}
}
