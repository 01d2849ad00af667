package input

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// A piece comes through JSON as it was, whatever bytes its path is made of.
func TestPiecesAsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "path")
		n := rapid.Int64Range(0, 1<<60)
		want := []Piece{{Path: path, Start: n.Draw(t, "start"), End: n.Draw(t, "end"), Source: rapid.IntRange(0, 3).Draw(t, "source"),
			FileSize: n.Draw(t, "size"), Wrote: n.Draw(t, "wrote")}}
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got []Piece
		if err := json.Unmarshal(text, &got); err != nil || got[0] != want[0] {
			t.Fatalf("%+v, want %+v (%v), by %s", got, want, err, text)
		}
	})
}
