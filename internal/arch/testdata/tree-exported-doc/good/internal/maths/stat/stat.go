// Package stat is not public.
package stat

type Mean float64
