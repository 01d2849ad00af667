package referee

// What a journal says of a class of jobs.
type (
	estimate struct {
		N    int64   `json:"n"`
		Mean float64 `json:"mean"`
		Max  float64 `json:"max"`
	}
	stageProfile struct {
		Stage   string   `json:"stage"`
		Node    string   `json:"node"`
		Task    estimate `json:"task"`
		PerByte estimate `json:"per_byte"`
		Shuffle estimate `json:"shuffle"`
		Start   estimate `json:"start"`
		Fetch   estimate `json:"fetch"`
	}
	profile struct {
		Name   string         `json:"name"`
		Ratio  estimate       `json:"ratio"`
		Stages []stageProfile `json:"stages"`
	}
)
