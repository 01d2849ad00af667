package mapreduce

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Codec says how values of a type are written: as text for people and for values on their way, and
// as keys such that their bytes order as the values do. What Append appended Parse reads, and
// likewise for keys.
type Codec[T any] struct {
	Append    func(to []byte, v T) []byte
	Parse     func(text []byte) (T, error)
	AppendKey func(to []byte, v T) []byte
	ParseKey  func(key []byte) (T, error)
}

// String writes strings as they are.
var String = Codec[string]{
	Append: func(to []byte, v string) []byte { return append(to, v...) },
	Parse:  func(text []byte) (string, error) { return string(text), nil },
}.keyIsText()

// Bytes writes bytes as they are. What Parse returns is a copy.
var Bytes = Codec[[]byte]{
	Append: func(to []byte, v []byte) []byte { return append(to, v...) },
	Parse:  func(text []byte) ([]byte, error) { return append([]byte{}, text...), nil },
}.keyIsText()

// Int64 writes numbers in decimal, and keys as 8 bytes: the highest first, with the sign turned, so
// that -1 comes before 0.
var Int64 = Codec[int64]{
	Append: func(to []byte, v int64) []byte { return strconv.AppendInt(to, v, 10) },
	Parse: func(text []byte) (int64, error) {
		n, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%q is not a whole number of 64 bits", text)
		}
		return n, nil
	},
	AppendKey: func(to []byte, v int64) []byte { return binary.BigEndian.AppendUint64(to, uint64(v)^1<<63) },
	ParseKey: func(key []byte) (int64, error) {
		n, err := eight(key)
		return int64(n ^ 1<<63), err
	},
}

// Float64 writes numbers in the shortest decimal that reads back the same, and keys as 8 bytes. -0
// comes before 0, and a NaN at an end.
var Float64 = Codec[float64]{
	Append: func(to []byte, v float64) []byte { return strconv.AppendFloat(to, v, 'g', -1, 64) },
	Parse: func(text []byte) (float64, error) {
		x, err := strconv.ParseFloat(string(text), 64)
		if err != nil {
			return 0, fmt.Errorf("%q is not a number", text)
		}
		return x, nil
	},
	AppendKey: func(to []byte, v float64) []byte {
		bits := math.Float64bits(v)
		if bits>>63 == 1 {
			return binary.BigEndian.AppendUint64(to, ^bits)
		}
		return binary.BigEndian.AppendUint64(to, bits|1<<63)
	},
	ParseKey: func(key []byte) (float64, error) {
		bits, err := eight(key)
		if bits>>63 == 1 {
			return math.Float64frombits(bits &^ (1 << 63)), err
		}
		return math.Float64frombits(^bits), err
	},
}

func eight(key []byte) (uint64, error) {
	if len(key) != 8 {
		return 0, fmt.Errorf("a key of %d bytes is not an 8-byte number", len(key))
	}
	return binary.BigEndian.Uint64(key), nil
}

// JSON writes values as JSON on one line. As keys they order as that text does.
func JSON[T any]() Codec[T] {
	return Codec[T]{
		Append: func(to []byte, v T) []byte {
			text, err := json.Marshal(v)
			if err != nil {
				// it is the program's type that is at fault
				panic(fmt.Sprintf("this value cannot be written as JSON: %v", err))
			}
			return append(to, text...)
		},
		Parse: func(text []byte) (v T, err error) {
			if err := json.Unmarshal(text, &v); err != nil {
				return v, fmt.Errorf("%s is not the JSON of a %T: %w", shown(text), v, err)
			}
			return v, nil
		},
	}.keyIsText()
}

func shown(text []byte) string {
	if len(text) > 60 {
		return fmt.Sprintf("%q…", text[:60])
	}
	return fmt.Sprintf("%q", text)
}

// keyIsText completes a codec whose text orders as it should.
func (c Codec[T]) keyIsText() Codec[T] {
	c.AppendKey, c.ParseKey = c.Append, c.Parse
	return c
}

// codecOf returns the codec for a type: its own, or JSON.
func codecOf[T any]() Codec[T] {
	var own any
	switch any(*new(T)).(type) {
	case string:
		own = String
	case []byte:
		own = Bytes
	case int64:
		own = Int64
	case float64:
		own = Float64
	default:
		return JSON[T]()
	}
	return own.(Codec[T])
}

// orDefault returns the codec, or the one for its type if it is left out.
func (c Codec[T]) orDefault() Codec[T] {
	if c.Append == nil {
		return codecOf[T]()
	}
	if c.AppendKey == nil {
		return c.keyIsText()
	}
	return c
}
