package mapreduce

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// Hidden keys hold nothing that ends a field or a line, come back as they were, and order as they did.
func TestHide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SliceOf(rapid.OneOf(rapid.ByteRange(0, 0x30), rapid.Byte()))
		a, b := key.Draw(t, "a"), key.Draw(t, "b")
		ha, hb := hide(nil, a), hide(nil, b)
		if bytes.ContainsAny(ha, "\t\n\r") || !bytes.Equal(show(nil, ha), a) || bytes.Compare(ha, hb) != bytes.Compare(a, b) {
			t.Fatalf("%q is hidden as %q, shown as %q; %q as %q", a, ha, show(nil, ha), b, hb)
		}
	})
}
