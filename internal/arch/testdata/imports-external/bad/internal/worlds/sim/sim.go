// Package sim uses a module for tests.
package sim

import _ "pgregory.net/rapid" // want imports-external
