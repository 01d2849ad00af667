// Package drive walks a queue.
package drive

type inbox struct{ in []int }

func (b inbox) run() (sum int) {
	for _, n := range b.in {
		sum += n
	}
	return sum
}
