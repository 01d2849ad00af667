// Package promise says of each job when it will be done.
package promise
