package apps

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/slackline/slackline/mapreduce"
)

var join = App{
	Name: "join",
	Doc: "joins two inputs by a key: every record of the left one with every record of the right one that has the same key. A job file names " +
		"the inputs left and right, under inputs. All records of one key are held in memory",
	Output: "key TAB rest of the left line TAB rest of the right line; of JSON or CSV, key TAB {\"left\":…,\"right\":…}",
	Params: []Param{
		{Name: "kind", Type: Text, Default: "inner", Doc: "inner: keys that both have; left, right: also all keys of that one; outer: all keys"},
		{Name: "left_key", Type: Text, Default: "1", Doc: "key of the left input: the number of a field between TABs, or the name of a column of JSON or CSV"},
		{Name: "right_key", Type: Text, Default: "1", Doc: "key of the right input"},
		{Name: "missing", Type: Text, Default: "", Doc: "what stands in a line for the rest of a record that is missing; in JSON it is null"},
		{Name: "right_path", Type: Text, Default: "", Doc: "where inputs have no names, as under Hadoop: files with this in their paths are the right input"},
	},
	check: func(s settings) error {
		switch kind := s["kind"].(string); kind {
		case "inner", "left", "right", "outer":
		default:
			return fmt.Errorf("application join, parameter \"kind\": %q is none of inner, left, right and outer", kind)
		}
		for _, name := range []string{"left_key", "right_key"} {
			if s[name] == "" || s[name] == "0" {
				return fmt.Errorf("application join, parameter %q: %q is neither the number of a field, from 1, nor a name", name, s[name])
			}
		}
		if _, err := strconv.Atoi(s["left_key"].(string)); err == nil != isNumber(s["right_key"].(string)) {
			return fmt.Errorf("application join: left_key is %q and right_key %q; either both are numbers of fields or both are names of columns", s["left_key"], s["right_key"])
		}
		return nil
	},
	build: func(s settings) mapreduce.Program {
		return mapreduce.Program{
			NewMapper: mapreduce.ByInput(func(_ *mapreduce.Context, in mapreduce.Input) (mapreduce.Mapper, error) {
				side, err := sideOf(in, s["right_path"].(string))
				if err != nil {
					return nil, err
				}
				return newSided(side, s[map[byte]string{'L': "left_key", 'R': "right_key"}[side]].(string)), nil
			}),
			NewReducer: func(*mapreduce.Context) (mapreduce.Reducer, error) {
				kind := s["kind"].(string)
				return &joining{left: kind == "left" || kind == "outer", right: kind == "right" || kind == "outer", missing: []byte(s["missing"].(string)),
					json: !isNumber(s["left_key"].(string))}, nil
			},
		}
	},
}

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// sideOf tells whether a file is of the left (L) or the right (R) input.
func sideOf(in mapreduce.Input, right string) (byte, error) {
	switch {
	case in.Name == "left":
		return 'L', nil
	case in.Name == "right":
		return 'R', nil
	case right == "":
		return 0, fmt.Errorf("%s belongs to neither side: name the inputs left and right, under inputs of the job file, or give the parameter right_path", in.Path)
	case strings.Contains(in.Path, right):
		return 'R', nil
	}
	return 'L', nil
}

// sided emits records under their keys, with the side in front of the value.
type sided struct {
	side  byte
	field int    // from 1; 0 = the column
	name  string // of the column
	value []byte
}

func newSided(side byte, key string) *sided {
	k := &sided{side: side, name: key}
	if n, err := strconv.Atoi(key); err == nil {
		k.field = n
	}
	return k
}

// Map finds the key of a record.
func (k *sided) Map(_, record []byte, out mapreduce.Emitter) error {
	k.value = append(k.value[:0], k.side)
	if k.field == 0 {
		key, err := column(record, k.name)
		if err != nil || key == nil {
			return err
		}
		k.value = append(k.value, record...)
		return out.Emit(key, k.value)
	}
	from, rest := 0, record
	for n := 1; ; n++ {
		end := bytes.IndexByte(rest, '\t')
		if n == k.field {
			if end < 0 {
				end = len(rest)
			}
			k.value = append(k.value, record[:from]...)
			if from+end < len(record) {
				k.value = append(k.value, record[from+end+1:]...)
			} else if from > 0 {
				k.value = k.value[:len(k.value)-1] // the TAB before the last field
			}
			return out.Emit(rest[:end], k.value)
		}
		if end < 0 {
			return fmt.Errorf("%q has no field %d", record, k.field)
		}
		from, rest = from+end+1, rest[end+1:]
	}
}

// column returns the value of a column of a JSON object, nil if it is null: what is unknown equals nothing.
func column(record []byte, name string) ([]byte, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(record, &object); err != nil {
		return nil, fmt.Errorf("%s is no JSON object; is input_format json or csv?", record)
	}
	raw, ok := object[name]
	switch {
	case !ok:
		return nil, fmt.Errorf("%s has no column %q", record, name)
	case string(raw) == "null":
		return nil, nil
	case raw[0] == '"':
		var text string
		err := json.Unmarshal(raw, &text)
		return []byte(text), err
	}
	return raw, nil
}

// joining joins the records of each key.
type joining struct {
	left, right bool // keys that only this side has are kept
	missing     []byte
	json        bool
	value       []byte
}

// Reduce emits all pairs, in the order of the left records, then the right ones.
func (j *joining) Reduce(key []byte, values mapreduce.Values, out mapreduce.Emitter) error {
	var sides [2][][]byte
	for values.Next() {
		v := values.Value()
		side := 0
		if v[0] == 'R' {
			side = 1
		}
		sides[side] = append(sides[side], bytes.Clone(v[1:]))
	}
	none := j.missing
	if j.json {
		none = []byte("null")
	}
	for i := range sides {
		if len(sides[i]) > 0 {
			continue
		}
		if i == 1 && !j.left || i == 0 && !j.right {
			return nil
		}
		sides[i] = [][]byte{none}
	}
	for _, l := range sides[0] {
		for _, r := range sides[1] {
			if j.json {
				j.value = append(append(j.value[:0], `{"left":`...), l...)
				j.value = append(append(append(j.value, `,"right":`...), r...), '}')
			} else {
				j.value = append(append(append(j.value[:0], l...), '\t'), r...)
			}
			if err := out.Emit(key, j.value); err != nil {
				return err
			}
		}
	}
	return nil
}
