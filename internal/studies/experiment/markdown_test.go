package experiment

import (
	"strings"
	"testing"
)

func TestMarkdown(t *testing.T) {
	got := markdown("# A & b\n\nOne **two**\nthree `<**x**>`.\n\n| a | b |\n|---|---|\n| 1 | |\n- x\n  y\n- z\n## Two\n")
	want := `<h3>A &amp; b</h3>
<p>One <b>two</b> three <code>&lt;**x**&gt;</code>.</p>
<div class="scroll"><table><tr><th class="wrap">a</th><th class="wrap">b</th></tr>
<tr><td class="wrap">1</td><td class="wrap"></td></tr>
</table></div>
<ul>
<li>x y</li>
<li>z</li>
</ul>
<h4>Two</h4>
`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// Nothing of the READMEs stays raw.
func TestReadmes(t *testing.T) {
	for _, e := range all(t) {
		text, err := e.Readme()
		if err != nil {
			t.Fatal(err)
		}
		page := markdown(text)
		for _, raw := range []string{"\n|", "\n#", "**", "`", "\n- "} {
			if strings.Contains(page, raw) {
				t.Errorf("%s: %q stays", e.Name, raw)
			}
		}
		wellFormed(t, "<p>"+page+"</p>")
	}
}
