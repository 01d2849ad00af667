package ledger

import _ "os" // a test may
