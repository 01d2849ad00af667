package apps

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/slackline/slackline/mapreduce"
)

var join = App{
	Name: "join",
	Doc: "joins two inputs by a key: every record of the left one with every record of the right one that has the same key. A job file names " +
		"the inputs left and right, under inputs. Keys are compared as texts; JSON numbers are normalised first, so that 1, 1.0 and 1e0 " +
		"are one key, which the string \"1\" and a field 1 of CSV equal too, but \"1.0\" does not. Lists and objects are compared as written. A JSON null equals nothing, not even null. All " +
		"records of one key are held in memory",
	Output: "key TAB rest of the left line TAB rest of the right line; of JSON or CSV, key TAB {\"left\":…,\"right\":…}; a null key is written as an empty one",
	Params: []Param{
		{Name: "kind", Type: Text, Default: "inner", Doc: "inner: keys that both have; left, right: also the other records of that side, including those with a null key; outer: all records"},
		{Name: "left_key", Type: Text, Default: "1", Doc: "key of the left input: the number of a field between TABs, or the name of a column of JSON or CSV"},
		{Name: "right_key", Type: Text, Default: "1", Doc: "key of the right input"},
		{Name: "missing", Type: Text, Default: "", Doc: "text for the rest of a missing record; in JSON it is null"},
		{Name: "right_path", Type: Text, Default: "", Doc: "where inputs have no names, as under Hadoop: files with this in their paths are the right input"},
	},
	check: func(s settings) error {
		switch kind := s["kind"].(string); kind {
		case "inner", "left", "right", "outer":
		default:
			return fmt.Errorf("application join, parameter \"kind\": %q is not inner, left, right or outer", kind)
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
	sources: joinSources,
	build: func(s settings) mapreduce.Program {
		return mapreduce.Program{
			NewMapper: mapreduce.ByInput(func(_ *mapreduce.Context, in mapreduce.Input) (mapreduce.Mapper, error) {
				side, err := sideOf(in, s["right_path"].(string))
				if err != nil {
					return nil, err
				}
				k := newSided(side, s[map[byte]string{'L': "left_key", 'R': "right_key"}[side]].(string))
				kind := s["kind"].(string)
				k.keeps = kind == "outer" || kind == map[byte]string{'L': "left", 'R': "right"}[side]
				return k, nil
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
		return 0, fmt.Errorf("%s is on neither side: name the inputs left and right, under inputs in the job file, or give the parameter right_path", in.Path)
	case strings.Contains(in.Path, right):
		return 'R', nil
	}
	return 'L', nil
}

// sided emits records under their keys, with the side in front of the value. One without a key that
// is kept nevertheless goes under the empty key, with the side in small letters.
type sided struct {
	side  byte
	keeps bool   // records that nothing matches
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
		if err != nil || key == nil && !k.keeps {
			return err
		}
		if key == nil {
			key, k.value[0] = []byte{}, k.side|alone
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
			return bad("%q has no field %d", record, k.field)
		}
		from, rest = from+end+1, rest[end+1:]
	}
}

// joining joins the records of each key.
type joining struct {
	left, right bool // keys that only this side has are kept
	missing     []byte
	json        bool
	value       []byte
	sides       [2][][]byte // the records of a key
	held        []byte      // where most of them stand
}

// mostHeld is how much of the records of a key stands in memory that is used again for the next.
const mostHeld = 1 << 20

// hold keeps a record of a side.
func (j *joining) hold(side int, record []byte) {
	if len(j.held)+len(record) > cap(j.held) { // those that stand there stay
		j.held = make([]byte, 0, max(mostHeld, len(record)))
	}
	from := len(j.held)
	j.held = append(j.held, record...)
	j.sides[side] = append(j.sides[side], j.held[from:len(j.held):len(j.held)])
}

// alone makes a small letter of a side: of a record whose key is null, which nothing matches.
const alone = 'a' - 'A'

// Reduce emits records that nothing can match as they come, then all pairs, in the order of the
// left records, then the right ones.
func (j *joining) Reduce(key []byte, values mapreduce.Values, out mapreduce.Emitter) error {
	none := j.missing
	if j.json {
		none = []byte("null")
	}
	j.held = j.held[:0]
	for i := range j.sides {
		clear(j.sides[i])
		j.sides[i] = j.sides[i][:0]
	}
	for values.Next() {
		v := values.Value()
		var err error
		switch record := v[1:]; v[0] {
		case 'L':
			j.hold(0, record)
		case 'R':
			j.hold(1, record)
		case 'L' | alone:
			err = j.pair(key, record, none, out)
		default:
			err = j.pair(key, none, record, out)
		}
		if err != nil {
			return err
		}
	}
	sides := &j.sides
	if len(sides[0])+len(sides[1]) == 0 {
		return nil
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
			if err := j.pair(key, l, r, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// pair emits a left record with a right one.
func (j *joining) pair(key, l, r []byte, out mapreduce.Emitter) error {
	if j.json {
		j.value = append(append(j.value[:0], `{"left":`...), l...)
		j.value = append(append(append(j.value, `,"right":`...), r...), '}')
	} else {
		j.value = append(append(append(j.value[:0], l...), '\t'), r...)
	}
	return out.Emit(key, j.value)
}
