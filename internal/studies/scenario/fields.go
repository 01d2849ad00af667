package scenario

import (
	"encoding"
	"reflect"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/maths/spelling"
)

// field is one key of a mapping, as the tags of a struct describe it.
type field struct {
	name            string
	doc             string
	need            bool
	min, above, max *float64
	enum            []string
	def             string // what holds when the key is left out, as it would be written
	index           []int
	typ             reflect.Type
}

type fieldList []field

// fieldsOf lists the keys of a struct in the order of its fields, those of embedded structs in their place.
func fieldsOf(t reflect.Type) fieldList {
	var list fieldList
	for i := range t.NumField() {
		sf := t.Field(i)
		if sf.Anonymous && sf.Type.Kind() == reflect.Struct {
			for _, f := range fieldsOf(sf.Type) {
				f.index = append([]int{i}, f.index...)
				list = append(list, f)
			}
			continue
		}
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if name == "" || name == "-" || !sf.IsExported() {
			continue
		}
		f := field{name: name, doc: sf.Tag.Get("doc"), need: sf.Tag.Get("need") != "", def: sf.Tag.Get("def"), index: []int{i}, typ: sf.Type,
			min: bound(sf.Tag, "min"), above: bound(sf.Tag, "above"), max: bound(sf.Tag, "max")}
		if f.doc == "" {
			f.doc = foreign[t.Name()+"."+name]
		}
		if e := sf.Tag.Get("enum"); e != "" {
			f.enum = strings.Split(e, "|")
		}
		list = append(list, f)
	}
	return list
}

// foreign are the docs of keys whose structs are another package's.
var foreign = map[string]string{
	"Config.queues":                "queues, or pools, below the root; if there are any, jobs name one of them or none",
	"Config.max_running":           "bound on the running jobs of the whole cluster; none if left out",
	"Config.max_running_per_user":  "bound on the running jobs of each user; none if left out",
	"Config.max_running_per_queue": "bound on the running jobs of each queue without one of its own; none if left out",
	"Config.max_master_share":      "percent of what a queue is promised, of the cluster without queues, that ApplicationMasters may take; 50 under fair and 10 else if left out",
	"Queue.name":                   "name of the queue; no dots",
	"Queue.queues":                 "queues below it (capacity only); jobs stand in those without any",
	"Queue.max_running":            "bound on its running jobs; none if left out",
	"Queue.max_master_share":       "percent of what it is promised (capacity: its guaranteed part, fair: its weight among pools with jobs, else the cluster) that ApplicationMasters of its jobs may take; its first may always start; as for all queues if left out",
	"Queue.weight":                 "fair: its share against that of others; 1 if left out",
	"Queue.min_maps":               "fair: minimum share of map slots",
	"Queue.min_reduces":            "fair: minimum share of reduce slots",
	"Queue.jobs":                   "fair: fair or fifo among its jobs; as the policy says if left out",
	"Queue.min_share_timeout":      "fair: how long it may stay below its minimum share before others are preempted",
	"Queue.capacity":               "capacity: percent of its parent that it is guaranteed",
	"Queue.maximum":                "capacity: percent of its parent that it gets at most; 100 if left out",
	"Queue.minimum_user_limit":     "capacity: percent of the queue that each of many users gets; 100 if left out",
	"Queue.user_limit_factor":      "capacity: how often its capacity one user may have; 1 if left out, -1 = no limit",
}

func bound(tag reflect.StructTag, name string) *float64 {
	s, ok := tag.Lookup(name)
	if !ok {
		return nil
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("scenario: tag " + name + " is no number: " + s)
	}
	return &x
}

func (l fieldList) find(name string) (field, bool) {
	for _, f := range l {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

func (l fieldList) names() []string {
	names := make([]string, len(l))
	for i, f := range l {
		names[i] = f.name
	}
	return names
}

var textType = reflect.TypeFor[encoding.TextUnmarshaler]()

// wanted says what a value of the type looks like.
func wanted(t reflect.Type) string {
	if w, ok := reflect.New(t).Interface().(interface{ wanted() string }); ok {
		return w.wanted()
	}
	if reflect.PointerTo(t).Implements(textType) {
		return "a text"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Uint64:
		return "a whole number that is not negative"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "a mapping (key: value)"
	}
	return "a text"
}

// oneOf prints alternatives: "a", "b" or "c".
func oneOf(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = quote(s)
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	return strings.Join(quoted[:len(quoted)-1], ", ") + " or " + quoted[len(quoted)-1]
}

// hint is the nearest one, if there is one, behind a list of all.
func hint(s string, list []string) string {
	if n := spelling.Nearest(s, list); n != "" {
		return "; did you mean " + quote(n) + "?"
	}
	return ""
}

func quote(s string) string { return `"` + s + `"` }
