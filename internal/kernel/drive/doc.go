// Package drive runs the one loop: ask the world what happened, tell the ledger, let the policy
// decide, check the plan, show it to the sinks, have the world do it.
package drive
