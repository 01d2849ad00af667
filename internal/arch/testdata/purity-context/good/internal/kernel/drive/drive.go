// Package drive hands a context on.
package drive

import "context"

type world interface {
	next(context.Context) error
}

func step(ctx context.Context, w world) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return w.next(ctx)
}
