package page

import (
	"os"
	"testing"

	"github.com/slackline/slackline/internal/studies/page/pagetest"
)

// TestPictures takes pictures of a page that is there already, $SLACKLINE_PAGE, for people to look at.
func TestPictures(t *testing.T) {
	file := os.Getenv("SLACKLINE_PAGE")
	if file == "" {
		t.Skip("no page is named by SLACKLINE_PAGE")
	}
	b := pagetest.New(t)
	for _, look := range []struct {
		name          string
		width, height int
		scheme        string
	}{{"light", 1280, 900, "light"}, {"dark", 1280, 900, "dark"}, {"narrow-light", 390, 844, "light"}, {"narrow-dark", 390, 844, "dark"}} {
		b.Look(look.width, look.height, look.scheme)
		b.Open(file)
		b.Picture(look.name)
		var times map[string]string
		b.Eval("({...document.documentElement.dataset})", &times)
		t.Log(look.name, times)
	}
	b.Quiet()
}
