// Package drive waits at channels.
package drive

import "context"

type inbox struct {
	in chan int // want purity-channel
}

func (b inbox) run(ctx context.Context) {
	b.in <- 1 // want purity-channel
	<-b.in    // want purity-channel
	select {  // want purity-channel
	case n, ok := <-b.in: // want purity-channel
		_, _ = n, ok
	default:
	}
	for range b.in { // want purity-channel
	}
	for range ctx.Done() { // want purity-channel
	}
	close(b.in) // want purity-channel
}
