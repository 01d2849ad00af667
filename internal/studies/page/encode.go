package page

import (
	"encoding/base64"
	"encoding/binary"
)

// column is a list of whole numbers as bytes: each in base 128, least part first, a set high bit
// announcing more (the varint of protocol buffers and of encoding/binary). In the page it stands as
// base64.
type column []byte

// count appends a number that is not negative.
func (c *column) count(x int64) { *c = binary.AppendUvarint(*c, uint64(x)) }

// signed appends any number: 0, -1, 1, -2, 2 … become 0, 1, 2, 3, 4 ….
func (c *column) signed(x int64) { *c = binary.AppendVarint(*c, x) }

// maybe appends 0 for nothing, else the number and one more, as signed does.
func (c *column) maybe(x int64, there bool) {
	if !there {
		c.count(0)
		return
	}
	c.count(int64(uint64(x)<<1^uint64(x>>63)) + 1)
}

// MarshalText writes the column in base64.
func (c column) MarshalText() ([]byte, error) {
	return base64.StdEncoding.AppendEncode(nil, c), nil
}
