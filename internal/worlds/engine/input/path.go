package input

import (
	"encoding/json"
	"unicode/utf8"
)

// Path is the path of a file. It may be any bytes, and JSON holds text alone: one that is no UTF-8
// stands there as {"bytes": base64}.
type Path string

type pathBytes struct {
	Bytes []byte `json:"bytes"`
}

// MarshalJSON loses no byte.
func (p Path) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(p)) {
		return json.Marshal(string(p))
	}
	return json.Marshal(pathBytes{[]byte(p)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (p *Path) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '{' {
		var b pathBytes
		err := json.Unmarshal(text, &b)
		*p = Path(b.Bytes)
		return err
	}
	return json.Unmarshal(text, (*string)(p))
}

// plainPiece is a piece less its methods.
type plainPiece Piece

// MarshalJSON writes the path as Path does.
func (p Piece) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		plainPiece
		Path Path
	}{plainPiece(p), Path(p.Path)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (p *Piece) UnmarshalJSON(text []byte) error {
	both := struct {
		*plainPiece
		Path Path
	}{plainPiece: (*plainPiece)(p)}
	err := json.Unmarshal(text, &both)
	p.Path = string(both.Path)
	return err
}
