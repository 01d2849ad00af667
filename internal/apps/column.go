package apps

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/slackline/slackline/mapreduce"
)

// column returns the value of a column of a JSON object as a key, nil if it is null: a string is
// its text, a number its canonical text, anything else stands as it is written.
func column(record []byte, name string) ([]byte, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(record, &object); err != nil {
		return nil, bad("%s is not a JSON object; is input_format json or csv?", record)
	}
	raw, ok := object[name]
	switch {
	case !ok:
		return nil, bad("%s has no column %q", record, name)
	case string(raw) == "null":
		return nil, nil
	case raw[0] == '"':
		return textKey(raw, name)
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		return numberKey(string(raw))
	}
	return raw, nil
}

// bad says why a record cannot be read.
func bad(format string, args ...any) error {
	return &mapreduce.BadRecord{Err: fmt.Errorf(format, args...)}
}

// textKey reads a JSON string. What the decoder would replace by U+FFFD is refused: keys that
// differ would become equal.
func textKey(raw []byte, name string) ([]byte, error) {
	if !utf8.Valid(raw) {
		return nil, bad("the column %q is not UTF-8: %q", name, raw)
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return nil, bad("the column %q: %v", name, err)
	}
	const replaced = string(utf8.RuneError)
	if strings.Contains(text, replaced) && !bytes.Contains(raw, []byte(replaced)) && !bytes.Contains(bytes.ToLower(raw), []byte(`\ufffd`)) {
		return nil, bad("the column %q has half a character: %s", name, raw)
	}
	return []byte(text), nil
}

// maxZeros is how many zeros a number may gain where it is written without an exponent.
const maxZeros = 40

// numberKey returns the canonical text of a JSON number, the same for all that are equal: 1, 1.0
// and 10e-1 are "1". No digit is lost.
func numberKey(number string) ([]byte, error) {
	text := number
	number, negative := strings.CutPrefix(number, "-")
	mantissa, exponent := number, "0"
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		mantissa, exponent = number[:i], number[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return []byte("0"), nil
	}
	power, err := strconv.ParseInt(exponent, 10, 32)
	if err != nil {
		return nil, bad("the number %s cannot be a key: its exponent is too large", text)
	}
	shift := int(power) - len(fraction) // the number is digits times 10 to this
	if short := strings.TrimRight(digits, "0"); len(short) < len(digits) {
		shift += len(digits) - len(short)
		digits = short
	}
	point := len(digits) + shift // so many digits stand before the point
	var key []byte
	if negative {
		key = append(key, '-')
	}
	switch {
	case shift > maxZeros || point < -maxZeros:
		key = append(key, digits[0])
		if len(digits) > 1 {
			key = append(append(key, '.'), digits[1:]...)
		}
		key = strconv.AppendInt(append(key, 'e'), int64(point-1), 10)
	case shift >= 0:
		key = append(append(key, digits...), strings.Repeat("0", shift)...)
	case point > 0:
		key = append(append(append(key, digits[:point]...), '.'), digits[point:]...)
	default:
		key = append(append(append(key, "0."...), strings.Repeat("0", -point)...), digits...)
	}
	return key, nil
}
