package config

import _ "pgregory.net/rapid"
