// Once more of no use: the job is gone on with. // want text-phrases
