// Package drive makes contexts.
package drive

import "context"

func next(ctx context.Context) context.Context {
	ctx, stop := context.WithTimeout(ctx, 1) // want purity-context
	defer stop()
	return ctx
}
