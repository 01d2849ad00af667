package sim

import _ "example.org/mock" // want imports-external
