slackline: --verify: plans with several types of machines are not played; play one with prices and reserved_limit
