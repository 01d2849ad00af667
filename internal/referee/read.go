package referee

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// A line is one line of a journal: its number, its first word, what follows it, and its fields.
type line struct {
	num    int
	word   string // journal, round, event, plan, item, end
	name   string // of an event its kind, of an item its verb
	fields []field
	flags  []string // words without a value: derived, held
	text   string
	detail []byte
}

type field struct{ key, value string }

// get returns a field as it stands, "" if it is not there.
func (l *line) get(key string) string {
	for _, f := range l.fields {
		if f.key == key {
			return f.value
		}
	}
	return ""
}

// num64 returns a field as a number, 0 if it is not there.
func (l *line) num64(key string) int64 {
	n, _ := strconv.ParseInt(l.get(key), 10, 64)
	return n
}

func (l *line) int(key string) int { return int(l.num64(key)) }

func (l *line) float(key string) float64 {
	x, _ := strconv.ParseFloat(l.get(key), 64)
	return x
}

// A header is the first line.
type header struct {
	Version int    `json:"version"`
	Policy  string `json:"policy"`
	World   struct {
		World     string `json:"world"`
		Bind      bool   `json:"bind"`
		Heartbeat int64  `json:"heartbeat"`
	} `json:"world"`
	Settings struct {
		Queues describedQueues `json:"queues"`
	} `json:"settings"`
}

// A reader goes through a journal line by line. Sums are not checked: replay does that, and here
// lines are altered on purpose.
type reader struct {
	rest []byte
	num  int
}

// next returns the next line, nil at the end.
func (r *reader) next() (*line, error) {
	if len(r.rest) == 0 {
		return nil, nil
	}
	text, rest, _ := bytes.Cut(r.rest, []byte("\n"))
	r.rest = rest
	r.num++
	if i := bytes.LastIndex(text, []byte(" #")); i >= 0 && len(text)-i == 10 {
		text = text[:i]
	}
	l := &line{num: r.num}
	bad := func(what string) (*line, error) { return nil, fmt.Errorf("line %d: %s", r.num, what) }
	number, after, ok := strings.Cut(string(text), " ")
	if n, err := strconv.Atoi(number); !ok || err != nil || n < 1 {
		return bad("it does not begin with its number")
	}
	l.word, after, _ = strings.Cut(after, " ")
	switch l.word {
	case "journal":
		l.detail = []byte(after)
		return l, nil
	case "event", "item":
		l.name, after, _ = strings.Cut(after, " ")
	case "round", "plan", "end":
	default:
		return bad("it begins with the word " + strconv.Quote(l.word))
	}
	for after != "" {
		if rest, ok := strings.CutPrefix(after, "detail="); ok {
			l.detail = []byte(rest)
			break
		}
		if rest, ok := strings.CutPrefix(after, "text="); ok {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return bad("its text has no end")
			}
			l.text, _ = strconv.Unquote(quoted)
			after = strings.TrimPrefix(rest[len(quoted):], " ")
			continue
		}
		var word string
		word, after, _ = strings.Cut(after, " ")
		if key, value, ok := strings.Cut(word, "="); ok {
			l.fields = append(l.fields, field{key, value})
		} else if l.word == "round" && len(l.fields) == 0 {
			l.name = word
		} else {
			l.flags = append(l.flags, word)
		}
	}
	return l, nil
}

// open reads the header.
func open(text []byte) (*reader, *header, error) {
	r := &reader{rest: text}
	first, err := r.next()
	if err != nil {
		return nil, nil, err
	}
	if first == nil || first.word != "journal" {
		return nil, nil, fmt.Errorf("line 1: it is not the header of a journal")
	}
	h := new(header)
	if err := json.Unmarshal(first.detail, h); err != nil {
		return nil, nil, fmt.Errorf("line 1: %w", err)
	}
	if !h.World.Bind {
		return nil, nil, fmt.Errorf("line 1: this world binds late; the referee predicts tasks")
	}
	return r, h, nil
}
