// Package heap keeps the first of many things at hand.
package heap

// Heap keeps things so that the first of them stands at the front; to put one in or take one out costs O(log n).
type Heap[T any] struct {
	List   []T
	Before func(a, b *T) bool
	Moved  func(x *T, at int) // is told where each thing stands; may be nil
}

// Clear takes out all.
func (h *Heap[T]) Clear() { h.List = h.List[:0] }

// Push puts one in.
func (h *Heap[T]) Push(x T) {
	h.List = append(h.List, x)
	h.Fix(len(h.List) - 1)
}

// Pop takes out the first.
func (h *Heap[T]) Pop() T {
	first := h.List[0]
	h.Remove(0)
	return first
}

// Remove takes out what stands at that place.
func (h *Heap[T]) Remove(at int) {
	var none T
	last := len(h.List) - 1
	h.List[at], h.List[last] = h.List[last], none
	h.List = h.List[:last]
	if at < last {
		h.Fix(at)
	}
}

// Fix moves what stands at that place, and may not belong there, to where it does.
func (h *Heap[T]) Fix(at int) {
	list := h.List
	for above := (at - 1) / 2; at > 0 && h.Before(&list[at], &list[above]); above = (at - 1) / 2 {
		h.swap(at, above)
		at = above
	}
	for {
		least := at
		for child := 2*at + 1; child <= 2*at+2 && child < len(list); child++ {
			if h.Before(&list[child], &list[least]) {
				least = child
			}
		}
		if least == at {
			break
		}
		h.swap(at, least)
		at = least
	}
	h.stands(at)
}

func (h *Heap[T]) swap(a, b int) {
	h.List[a], h.List[b] = h.List[b], h.List[a]
	h.stands(a)
}

func (h *Heap[T]) stands(at int) {
	if h.Moved != nil {
		h.Moved(&h.List[at], at)
	}
}
