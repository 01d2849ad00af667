//go:build unix

package engine
