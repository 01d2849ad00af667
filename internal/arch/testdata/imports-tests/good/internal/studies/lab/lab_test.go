package lab

import _ "github.com/slackline/slackline/internal/worlds/adverse"
