package report

import "testing"

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain, é and \"quoted\"\n": `plain, é and "quoted"`,
		"\x1b[31mred\nnext\tone":    `\x1b[31mred\nnext\tone`,
		"\u009b2J\x00\x7f":          `\u009b2J\x00\x7f`,
		"":                          "",
	} {
		if got := Printable(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}
