// Package referee stands on the standard library alone.
package referee

import _ "encoding/json"
