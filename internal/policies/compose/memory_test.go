package compose

import (
	"reflect"
	"testing"
)

// A plain memory is copied with its lists, at any depth, and shares nothing. Reading leaves
// nothing of what was there before.
func TestPlain(t *testing.T) {
	type inner struct{ Jobs []int }
	type state struct {
		Own  inner
		Held []bool
		Next int64
	}
	was := &state{Own: inner{[]int{1, 2}}, Held: []bool{true}, Next: 7}
	is := &state{Held: []bool{false, false}}
	plain{is}.CopyFrom(plain{was})
	if want := (&state{Own: inner{[]int{1, 2}}, Held: []bool{true}, Next: 7}); !reflect.DeepEqual(is, want) {
		t.Errorf("%+v, want %+v", is, want)
	}
	was.Own.Jobs[0], was.Held[0] = 3, false
	if is.Own.Jobs[0] != 1 || !is.Held[0] {
		t.Errorf("%+v shares a list", is)
	}
	if err := (plain{is}).UnmarshalJSON([]byte(`{"Next":8}`)); err != nil || !reflect.DeepEqual(is, &state{Next: 8}) {
		t.Errorf("%+v, %v", is, err)
	}
}
