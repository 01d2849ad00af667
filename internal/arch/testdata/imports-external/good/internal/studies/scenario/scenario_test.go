package scenario

import _ "pgregory.net/rapid"
