package config

import (
	"encoding"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"

	"github.com/slackline/slackline/internal/maths/spelling"
)

// Document is one document of a file. Once it has been read it knows where each value stands, so
// that later checks can point at it.
type Document struct {
	File string
	Errs Errors // what is wrong with it

	// Fill makes of a text what it stands for, by the path of the value; nil = it stands for itself.
	Fill func(path, text string) (string, error)

	root    ast.Node
	at      map[string]Pos // of values, by path: "workload.jobs[2].deadline"
	anchors map[string]ast.Node
	open    map[string]bool // anchors being read, against those that contain themselves
	fields  map[reflect.Type]fieldList
	nodes   int
	over    map[string]ast.Node // values that take the place of the file's, by path: those of a sweep
	met     map[string]bool     // which of them did; and
	names   []string            // the paths where some could
}

// A form is a type of this package that reads syntax itself.
type form interface {
	// read takes the node, which is neither null nor an alias, and reports through d.
	read(d *Document, n ast.Node, path string)
}

// Read fills the struct that v points to. What is wrong is in Errs afterwards.
func (d *Document) Read(v any) {
	d.Errs, d.nodes, d.names = nil, 0, nil
	d.at, d.anchors, d.open, d.met = map[string]Pos{}, map[string]ast.Node{}, map[string]bool{}, map[string]bool{}
	d.fields = map[reflect.Type]fieldList{}
	d.collect(d.root)
	d.value(d.root, reflect.ValueOf(v).Elem(), "", field{})
}

// Keys lists the keys of the document, none if it is no mapping.
func (d *Document) Keys() (keys []string) {
	scratch := &Document{}
	scratch.pairs(d.root, "", func(key string, _ Pos, _ ast.Node) { keys = append(keys, key) })
	return keys
}

// Err returns what is wrong with the document, in the order of the file, nil if nothing is.
func (d *Document) Err() error { return d.Errs.Err() }

// Errorf returns an error at the value that stands at a path, or at what is around it.
func (d *Document) Errorf(path, format string, args ...any) error {
	return Errors{{File: d.File, Pos: d.Pos(path), Text: fmt.Sprintf(format, args...)}}
}

// Failf reports an error at the value that stands at the path, or at the nearest value around it.
func (d *Document) Failf(path, format string, args ...any) {
	d.errorAt(d.Pos(path), format, args...)
}

// Pos is where the value at the path stands, or the nearest value around it.
func (d *Document) Pos(path string) Pos {
	for {
		if p, ok := d.at[path]; ok {
			return p
		}
		cut := strings.LastIndexAny(path, ".[")
		if cut < 0 {
			return d.at[""]
		}
		path = path[:cut]
	}
}

// Has tells whether the file states the key.
func (d *Document) Has(path string) bool {
	_, ok := d.at[path]
	return ok
}

// Supplied notes that a key which the file leaves out got its value from elsewhere: it stands where
// what is around it stands.
func (d *Document) Supplied(path string) { d.at[path] = d.Pos(path) }

// failf reports an error at a node.
func (d *Document) failf(n ast.Node, format string, args ...any) {
	d.errorAt(startOf(n), format, args...)
}

func (d *Document) errorAt(pos Pos, format string, args ...any) {
	d.Errs = append(d.Errs, &Error{File: d.File, Pos: pos, Text: fmt.Sprintf(format, args...)})
}

// collect finds the anchors. An alias stands for the last anchor of its name, which is that of a
// well-formed file.
func (d *Document) collect(root ast.Node) {
	ast.Walk(visitor(func(n ast.Node) {
		if a, ok := n.(*ast.AnchorNode); ok && a.Name != nil {
			d.anchors[a.Name.GetToken().Value] = a.Value
		}
	}), root)
}

type visitor func(ast.Node)

func (v visitor) Visit(n ast.Node) ast.Visitor {
	v(n)
	return v
}

// resolve strips anchors and tags and follows an alias; release must be called when the node has been read.
func (d *Document) resolve(n ast.Node) (_ ast.Node, release func()) {
	release = func() {}
	for hops := 0; hops < maxDepth; hops++ {
		switch x := n.(type) {
		case *ast.AnchorNode:
			n = x.Value
		case *ast.AliasNode:
			name := x.Value.GetToken().Value
			to, ok := d.anchors[name]
			if !ok {
				d.failf(x, "there is no anchor &%s for this alias; a text that begins with an asterisk must be in quotes: \"*%s\"", name, name)
				return nil, release
			}
			if d.open[name] {
				d.failf(x, "the anchor &%s contains itself", name)
				return nil, release
			}
			d.open[name] = true
			outer := release
			release = func() { delete(d.open, name); outer() }
			n = to
		case *ast.TagNode:
			d.failf(x, "tags such as %s are not supported; leave it out", x.GetToken().Value)
			return nil, release
		default:
			return n, release
		}
	}
	return nil, release
}

// value reads a node into v by v's type. What is refused stays the zero value, whatever its type has
// read of it: checks go on, so that all errors of a file are told together, and must not use it.
func (d *Document) value(n ast.Node, v reflect.Value, path string, f field) {
	found := len(d.Errs)
	d.read(n, v, path, f)
	switch v.Kind() {
	case reflect.Slice, reflect.Map: // each of its values has been asked for by itself
	case reflect.Struct:
		if !written(v) {
			return // as well
		}
		fallthrough
	default:
		if len(d.Errs) > found {
			v.SetZero()
		}
	}
}

// written tells whether a value is read as one text or form, and not key by key.
func written(v reflect.Value) bool {
	switch v.Addr().Interface().(type) {
	case form, encoding.TextUnmarshaler:
		return true
	}
	return false
}

// read is value, but for what is refused.
func (d *Document) read(n ast.Node, v reflect.Value, path string, f field) {
	d.nodes++
	if d.nodes > maxNodes {
		if d.nodes == maxNodes+1 {
			d.failf(n, "the file has more than %d values, with aliases counted each time they are used", maxNodes)
		}
		return
	}
	if o, key := d.swept(path); o != nil {
		n = o
		d.met[key] = true
	}
	if n == nil {
		return
	}
	d.at[path] = startOf(n)
	resolved, release := d.resolve(n)
	defer release()
	if resolved == nil {
		return
	}
	if d.Fill != nil && v.Kind() != reflect.Slice && v.Kind() != reflect.Pointer { // those read what they hold
		if resolved = d.filled(n, resolved, path); resolved == nil {
			return
		}
	}
	if _, null := resolved.(*ast.NullNode); null {
		d.failf(n, "%s has no value; give it %s, or leave the key out", Name(path), wanted(v.Type()))
		return
	}
	if fm, ok := v.Addr().Interface().(form); ok {
		before := len(d.Errs)
		fm.read(d, resolved, path)
		if len(d.Errs) == before {
			d.bounds(n, v, path, f)
		}
		return
	}
	if tu, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		s, ok := scalar(resolved)
		if !ok {
			d.failf(n, "%s is %s, it must be %s", Name(path), kindOf(resolved), wanted(v.Type()))
			return
		}
		if err := tu.UnmarshalText([]byte(s)); err != nil {
			d.failf(n, "%s: %v", Name(path), err)
			return
		}
		d.bounds(n, v, path, f)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		d.value(n, p.Elem(), path, f)
		v.Set(p)
	case reflect.Struct:
		d.mapping(resolved, v, path)
	case reflect.Slice:
		d.list(resolved, v, path, f)
	case reflect.Map:
		d.table(resolved, v, path)
	default:
		d.plain(n, resolved, v, path, f)
	}
}

// filled is a node with what its text stands for, nil if that is wrong.
func (d *Document) filled(n, resolved ast.Node, path string) ast.Node {
	text, ok := scalar(resolved)
	if !ok || !strings.ContainsAny(text, "{}$`") {
		return resolved
	}
	full, err := d.Fill(path, text)
	if err != nil {
		d.failf(n, "%s: %v", Name(path), err)
		return nil
	}
	return &ast.StringNode{BaseNode: &ast.BaseNode{}, Token: resolved.GetToken(), Value: full}
}

// plain reads a scalar into a string, a number or a truth value.
func (d *Document) plain(n, resolved ast.Node, v reflect.Value, path string, f field) {
	s, ok := scalar(resolved)
	bad := func() { d.failf(n, "%s is %s, it must be %s", Name(path), kindOf(resolved), wanted(v.Type())) }
	if !ok {
		bad()
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(s)
		if s == "" && f.filled() {
			d.failf(n, "%s is empty; give it a value, or leave it out", Name(path))
		}
		what := f.label
		if what == "yes" {
			what = Name(path)
		}
		if long := TooLong(what, s); what != "" && long != "" {
			d.failf(n, "%s", long)
		}
		if len(f.enum) > 0 && !slices.Contains(f.enum, s) {
			d.failf(n, "%s is %q, it must be %s%s", Name(path), s, oneOf(f.enum), spelling.Meant(s, f.enum))
		}
		return
	case reflect.Bool:
		if _, ok := resolved.(*ast.BoolNode); !ok {
			bad()
			return
		}
		v.SetBool(strings.EqualFold(s, "true"))
		return
	case reflect.Int, reflect.Int64:
		x, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			bad()
			return
		}
		v.SetInt(x)
	case reflect.Uint64:
		x, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			bad()
			return
		}
		v.SetUint(x)
	case reflect.Float64:
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			bad()
			return
		}
		v.SetFloat(x)
	}
	d.bounds(n, v, path, f)
}

// maxName bounds names that people write: they stand in tables and messages. It is that of a tag in YARN, too.
const maxName = 100

// TooLong says of what bears a name that it is too long for one, "" if it is not.
func TooLong(what, name string) string {
	if n := utf8.RuneCountInString(name); n > maxName {
		return fmt.Sprintf("%s has %d characters, it must have at most %d", what, n, maxName)
	}
	return ""
}

// bounds checks the min, above and max of the field.
func (d *Document) bounds(n ast.Node, v reflect.Value, path string, f field) {
	var x float64
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		x = float64(v.Int())
	case reflect.Uint64:
		x = float64(v.Uint())
	case reflect.Float64:
		x = v.Float()
	default:
		return
	}
	got := fmt.Sprint(v.Interface())
	switch {
	case f.min != nil && x < *f.min && *f.min == 0:
		d.failf(n, "%s is %s, it must not be negative", Name(path), got)
	case f.min != nil && x < *f.min:
		d.failf(n, "%s is %s, it must be at least %s%s", Name(path), got, plainNumber(*f.min), f.otherwise(x))
	case f.above != nil && x <= *f.above:
		d.failf(n, "%s is %s, it must be above %s%s", Name(path), got, plainNumber(*f.above), f.otherwise(x))
	case f.max != nil && x > *f.max:
		d.failf(n, "%s is %s, it must be at most %s", Name(path), got, plainNumber(*f.max))
	}
}

// plainNumber prints a bound as people write it.
func plainNumber(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func (d *Document) list(n ast.Node, v reflect.Value, path string, f field) {
	add := func(n ast.Node, path string) {
		item := reflect.New(v.Type().Elem()).Elem()
		d.value(n, item, path, f)
		v.Set(reflect.Append(v, item))
	}
	_, loose := v.Interface().(interface{ oneOrMore() })
	switch seq, ok := n.(*ast.SequenceNode); {
	case ok:
		for i, e := range seq.Values {
			add(e, path+"["+strconv.Itoa(i)+"]")
		}
		if leave := map[bool]string{false: ", or leave the key out"}[f.need]; f.some && len(seq.Values) == 0 {
			d.failf(n, "%s is empty; give at least one%s", Name(path), leave)
		}
	case loose && mayBe(n, v.Type().Elem()):
		add(n, path)
	default:
		d.failf(n, "%s is %s, it must be %s", Name(path), kindOf(n), wanted(v.Type()))
	}
}

// mayBe tells whether the node is of the kind, scalar or mapping, that the type is written as.
func mayBe(n ast.Node, t reflect.Type) bool {
	_, plain := scalar(n)
	return plain == (t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(textType))
}

// table reads a mapping with free keys into a map of strings.
func (d *Document) table(n ast.Node, v reflect.Value, path string) {
	v.Set(reflect.MakeMap(v.Type()))
	d.pairs(n, path, func(key string, _ Pos, val ast.Node) {
		item := reflect.New(v.Type().Elem()).Elem()
		d.value(val, item, Join(path, key), field{})
		v.SetMapIndex(reflect.ValueOf(key), item)
	})
}

// mapping reads a mapping whose keys are the fields of a struct.
func (d *Document) mapping(n ast.Node, v reflect.Value, path string) {
	fields, known := d.fields[v.Type()]
	if !known {
		fields = fieldsOf(v.Type())
		d.fields[v.Type()] = fields
	}
	if !d.pairs(n, path, func(key string, at Pos, val ast.Node) {
		f, ok := fields.find(key)
		if !ok {
			d.errorAt(at, "unknown key %q%s%s", key, inside(path), spelling.Hint(key, fields.names()))
			return
		}
		d.value(val, v.FieldByIndex(f.index), Join(path, key), f)
	}) {
		return
	}
	for _, f := range fields {
		own := Join(path, f.name)
		if d.over != nil {
			d.names = append(d.names, own)
		}
		switch {
		case d.Has(own):
		case d.has(own):
			o, _ := d.swept(own)
			d.value(o, v.FieldByIndex(f.index), own, f)
		case d.sweptBelow(own) != nil:
			d.value(&ast.MappingNode{}, v.FieldByIndex(f.index), own, f)
			d.at[own] = startOf(d.sweptBelow(own))
		case f.need:
			d.errorAt(startOf(n), "the key %q%s is missing: %s", f.name, inside(path), f.doc)
		default:
			setDefault(v.FieldByIndex(f.index), f.def)
		}
	}
}

// swept returns the value that a sweep puts at the path, and the key by which it does: jobs[*] is
// each of the jobs.
func (d *Document) swept(path string) (ast.Node, string) {
	if len(d.over) == 0 {
		return nil, ""
	}
	if o := d.over[path]; o != nil {
		return o, path
	}
	key := numbered.ReplaceAllString(path, "[*]")
	return d.over[key], key
}

// numbered are the places of lists in a path.
var numbered = regexp.MustCompile(`\[[0-9]+\]`)

// has tells whether a sweep puts a value at the path.
func (d *Document) has(path string) bool {
	o, _ := d.swept(path)
	return o != nil
}

// sweptBelow returns the first value that is to be put somewhere below the path, nil if there is none.
func (d *Document) sweptBelow(path string) ast.Node {
	for _, to := range slices.Sorted(maps.Keys(d.over)) {
		if strings.HasPrefix(to, path+".") {
			return d.over[to]
		}
	}
	return nil
}

// setDefault sets what a tag says, in a mapping that is left out what its keys' tags say. The tags
// are the program's own, so one that cannot be read is a bug.
func setDefault(v reflect.Value, def string) {
	err := error(nil)
	switch to := v.Addr().Interface().(type) {
	case *string:
		*to = def
	case *int:
		if def != "" {
			*to, err = strconv.Atoi(def)
		}
	case *float64:
		if def != "" {
			*to, err = strconv.ParseFloat(def, 64)
		}
	case encoding.TextUnmarshaler:
		if def != "" {
			err = to.UnmarshalText([]byte(def))
		}
	default:
		if v.Kind() == reflect.Struct {
			for _, f := range fieldsOf(v.Type()) {
				setDefault(v.FieldByIndex(f.index), f.def)
			}
		}
	}
	if err != nil {
		panic("config: tag def: " + err.Error())
	}
}

// pairs calls each for every key of a mapping and tells whether it is one. Keys that stand twice are errors.
func (d *Document) pairs(n ast.Node, path string, each func(key string, at Pos, val ast.Node)) bool {
	var values []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		values = n.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{n}
	default:
		d.failf(n, "%s is %s, it must be a mapping (key: value)", Name(path), kindOf(n))
		return false
	}
	seen := map[string]bool{}
	for _, kv := range values {
		if kv.Key.IsMergeKey() {
			d.failf(kv, "merge keys (<<) are not supported; write the keys out")
			continue
		}
		var keyNode ast.Node = kv.Key
		if mk, ok := keyNode.(*ast.MappingKeyNode); ok {
			keyNode = mk.Value
		}
		key, ok := scalar(keyNode)
		if !ok {
			d.failf(kv, "a key must be a plain word")
			continue
		}
		if seen[key] {
			d.failf(kv, "the key %q is given twice", key)
			continue
		}
		seen[key] = true
		each(key, posOf(keyNode.GetToken()), kv.Value)
	}
	return true
}

// Join is the path of a key of the mapping at a path.
func Join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Name is how an error names the value at a path: by its last key.
func Name(path string) string {
	if path == "" {
		return "the file"
	}
	return path[strings.LastIndexByte(path, '.')+1:]
}

func inside(path string) string {
	if path == "" {
		return ""
	}
	return " in " + Name(path)
}
