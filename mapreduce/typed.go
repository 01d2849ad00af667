package mapreduce

import (
	"fmt"
	"iter"
)

// Typed is a program in the types of Go. In is what a map gets of each line of text: a string or
// []byte is the line itself, any other type but int64 and float64 is read as JSON. Key and Value
// are what it emits, Out is what a reduce emits under the same key. Types other than string,
// []byte, int64 and float64 are written as JSON, unless a codec says otherwise.
//
//	Typed[string, string, int64, int64]{
//		Map: func(_ *Context, line string, emit func(string, int64)) error {
//			for w := range strings.FieldsSeq(line) {
//				emit(w, 1)
//			}
//			return nil
//		},
//		Fold: Sum,
//	}.Program()
//
// The functions are called by many attempts at once: what they share has to be safe for that. What
// emit cannot do (a full disk, an attempt that is to stop) ends the attempt behind the function's
// back.
type Typed[In, Key, Value, Out any] struct {
	Name string

	Map func(c *Context, in In, emit func(Key, Value)) error
	// Combine makes one value of two, in any order and grouping. nil = values are kept apart.
	Combine func(a, b Value) Value
	// Fold does so in place of Combine where Value is int64: Sum, Min, Max. It is the fastest way.
	Fold *Fold
	// Reduce gets a key with all its values. nil = the combined value is the result or, where nothing
	// combines, every value; without either, a job may have no reduces.
	Reduce func(c *Context, key Key, values iter.Seq[Value], emit func(Key, Out)) error
	// Partition chooses the reduce of a key, from 0 to parts-1. nil = Hash.
	Partition func(key Key, parts int) int

	Ins    Codec[In] // what is left out follows from the type
	Keys   Codec[Key]
	Values Codec[Value]
	Outs   Codec[Out]

	combine func(a, b Value) (Value, error) // by Combine or Fold; nil = neither
}

// Program returns the program, for an engine or for Stream.
func (t Typed[In, Key, Value, Out]) Program() Program {
	plain := t.Values.Append == nil
	t.Ins, t.Keys, t.Values, t.Outs = t.Ins.orDefault(), t.Keys.orDefault(), t.Values.orDefault(), t.Outs.orDefault()
	p := Program{Name: t.Name}
	mapper := func(c *Context, key func([]byte, Key) []byte) (Mapper, error) {
		switch {
		case t.Map == nil:
			return nil, fmt.Errorf("program %s has no Map", t.Name)
		case t.Fold != nil && (t.Combine != nil || t.combine == nil):
			return nil, fmt.Errorf("program %s has a Fold, which combines values of type int64 in place of Combine", t.Name)
		}
		m := &typedMapper[In, Key, Value, Out]{t: &t, c: c, appendKey: key}
		m.emit = m.put
		return m, nil
	}
	p.NewMapper = func(c *Context) (Mapper, error) { return mapper(c, t.Keys.AppendKey) }
	if t.Fold != nil {
		t.combine, _ = any(t.Fold.Add).(func(a, b Value) (Value, error))
	} else if t.Combine != nil {
		t.combine = func(a, b Value) (Value, error) { return t.Combine(a, b), nil }
	}
	if t.Reduce == nil && t.combine == nil { // then a reduce only writes keys as text, which maps can do
		p.MapOnly = func(c *Context) (Mapper, error) { return mapper(c, t.Keys.Append) }
	}
	p.NewReducer = func(c *Context) (Reducer, error) {
		r := &typedReducer[In, Key, Value, Out]{t: &t, c: c}
		r.emit = r.put
		return r, nil
	}
	if add, ok := any(t.combine).(func(a, b int64) (int64, error)); ok && add != nil {
		codec := any(t.Values).(Codec[int64])
		p.Fold = &Fold{Parse: codec.Parse, Append: codec.Append, Add: add}
		if t.Fold != nil && plain {
			p.Fold.Kind = t.Fold.Kind
		}
	} else if t.combine != nil {
		p.NewCombiner = func(*Context) (Reducer, error) { return &typedCombiner[In, Key, Value, Out]{t: &t}, nil }
	}
	if t.Partition != nil {
		p.Partition = func(key []byte, parts int) int {
			k, err := t.Keys.ParseKey(key)
			if err != nil {
				return -1 // the engine refuses it, and names the record
			}
			return t.Partition(k, parts)
		}
	}
	return p
}

type typedMapper[In, Key, Value, Out any] struct {
	t          *Typed[In, Key, Value, Out]
	c          *Context
	appendKey  func(to []byte, k Key) []byte
	out        Emitter
	key, value []byte
	emit       func(Key, Value)
	err        error
}

func (m *typedMapper[In, Key, Value, Out]) put(k Key, v Value) {
	m.key = m.appendKey(m.key[:0], k)
	m.value = m.t.Values.Append(m.value[:0], v)
	if err := m.out.Emit(notNil(m.key), notNil(m.value)); err != nil && m.err == nil {
		m.err = err
	}
}

// notNil keeps what is empty from being nothing at all.
func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// Map hands a line to the function.
func (m *typedMapper[In, Key, Value, Out]) Map(_, line []byte, out Emitter) error {
	in, err := m.t.Ins.Parse(line)
	if err != nil {
		return &BadRecord{err}
	}
	m.out = out
	if err := m.t.Map(m.c, in, m.emit); err != nil {
		return err
	}
	return m.err
}

type typedReducer[In, Key, Value, Out any] struct {
	t          *Typed[In, Key, Value, Out]
	c          *Context
	out        Emitter
	key, value []byte
	emit       func(Key, Out)
	err        error
}

func (r *typedReducer[In, Key, Value, Out]) put(k Key, v Out) {
	r.value = r.t.Outs.Append(r.value[:0], v)
	r.write(k)
}

// write emits the value at hand.
func (r *typedReducer[In, Key, Value, Out]) write(k Key) {
	r.key = r.t.Keys.Append(r.key[:0], k)
	if err := r.out.Emit(notNil(r.key), notNil(r.value)); err != nil && r.err == nil {
		r.err = err
	}
}

// Reduce hands a key to the function.
func (r *typedReducer[In, Key, Value, Out]) Reduce(key []byte, values Values, out Emitter) error {
	k, err := r.t.Keys.ParseKey(key)
	if err != nil {
		return err
	}
	r.out = out
	all := parsed(r.t.Values, values, &r.err)
	switch {
	case r.t.Reduce != nil:
		err = r.t.Reduce(r.c, k, all, r.emit)
	case r.t.combine != nil:
		if v, some := combined(r.t.combine, all, &r.err); some && r.err == nil {
			r.value = r.t.Values.Append(r.value[:0], v)
			r.write(k)
		}
	default:
		for v := range all {
			r.value = r.t.Values.Append(r.value[:0], v)
			r.write(k)
		}
	}
	if r.err != nil {
		return r.err
	}
	return err
}

// parsed are the values of a key, up to the first that cannot be read.
func parsed[V any](codec Codec[V], values Values, failed *error) iter.Seq[V] {
	return func(yield func(V) bool) {
		for values.Next() {
			v, err := codec.Parse(values.Value())
			if err != nil && *failed == nil {
				*failed = err
			}
			if err != nil || !yield(v) {
				return
			}
		}
	}
}

func combined[V any](combine func(a, b V) (V, error), values iter.Seq[V], failed *error) (sum V, some bool) {
	for v := range values {
		if some {
			var err error
			if v, err = combine(sum, v); err != nil && *failed == nil {
				*failed = err
			}
		}
		sum, some = v, true
	}
	return sum, some
}

type typedCombiner[In, Key, Value, Out any] struct {
	t    *Typed[In, Key, Value, Out]
	text []byte
}

// Reduce combines the values of a key.
func (c *typedCombiner[In, Key, Value, Out]) Reduce(key []byte, values Values, out Emitter) error {
	var failed error
	sum, some := combined(c.t.combine, parsed(c.t.Values, values, &failed), &failed)
	if failed != nil || !some {
		return failed
	}
	c.text = c.t.Values.Append(c.text[:0], sum)
	return out.Emit(key, notNil(c.text))
}

// ByInput is a constructor of mappers for jobs that read several inputs, such as the two sides of a
// join: choose returns the mapper for a file, which is closed when the next file begins.
func ByInput(choose func(c *Context, in Input) (Mapper, error)) func(*Context) (Mapper, error) {
	return func(c *Context) (Mapper, error) { return &byInput{c: c, choose: choose}, nil }
}

type byInput struct {
	c      *Context
	choose func(*Context, Input) (Mapper, error)
	in     Input
	mapper Mapper // nil = none yet
}

// Map hands a record to the mapper of its file.
func (b *byInput) Map(key, value []byte, out Emitter) error {
	if in := b.c.Input(); b.mapper == nil || in != b.in {
		if err := b.Close(out); err != nil {
			return err
		}
		mapper, err := b.choose(b.c, in)
		if err != nil {
			return err
		}
		b.in, b.mapper = in, mapper
	}
	return b.mapper.Map(key, value, out)
}

// Close closes the mapper at hand.
func (b *byInput) Close(out Emitter) error {
	c, ok := b.mapper.(Closer)
	b.mapper = nil
	if !ok {
		return nil
	}
	return c.Close(out)
}
