package referee_test

import _ "github.com/slackline/slackline/sched"
