package admit

// heap keeps things so that the first of them stands at the front; to put one in or take one out costs O(log n).
type heap[T any] struct {
	list   []T
	before func(a, b *T) bool
	moved  func(x *T, at int) // is told where each thing stands
}

func (h *heap[T]) clear() { h.list = h.list[:0] }

func (h *heap[T]) push(x T) {
	h.list = append(h.list, x)
	h.fix(len(h.list) - 1)
}

// remove takes out what stands at that place.
func (h *heap[T]) remove(at int) {
	var none T
	last := len(h.list) - 1
	h.list[at], h.list[last] = h.list[last], none
	h.list = h.list[:last]
	if at < last {
		h.fix(at)
	}
}

// fix moves what stands at that place, and may not belong there, to where it does.
func (h *heap[T]) fix(at int) {
	list := h.list
	for above := (at - 1) / 2; at > 0 && h.before(&list[at], &list[above]); above = (at - 1) / 2 {
		h.swap(at, above)
		at = above
	}
	for {
		least := at
		for child := 2*at + 1; child <= 2*at+2 && child < len(list); child++ {
			if h.before(&list[child], &list[least]) {
				least = child
			}
		}
		if least == at {
			break
		}
		h.swap(at, least)
		at = least
	}
	h.moved(&list[at], at)
}

func (h *heap[T]) swap(a, b int) {
	h.list[a], h.list[b] = h.list[b], h.list[a]
	h.moved(&h.list[a], a)
}
