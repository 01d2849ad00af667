package experiment

import (
	"errors"
	"io/fs"

	"github.com/slackline/slackline/internal/config"
)

// Assumption is something that the paper does not say. The claims are judged again with each of the other values.
type Assumption struct {
	What   string       `json:"what" need:"yes" doc:"in words, with its reason"`
	File   string       `json:"file" doc:"scenario file that it is in; all of them if left out"`
	Key    string       `json:"key" need:"yes" doc:"of the scenario, or policy.NAME.PARAMETER"`
	Value  string       `json:"value" need:"yes" doc:"in the scenario file"`
	Others config.Texts `json:"others" need:"yes" some:"yes" doc:"values to judge the claims by in its place"`
}

// assume reads assumptions.yaml. An experiment without one assumes nothing.
func (e *Experiment) assume() error {
	const file = "assumptions.yaml"
	text, err := e.read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	doc, err := config.ParseOne(e.place(file), text)
	if err != nil {
		return err
	}
	var said struct {
		Assumptions []Assumption `json:"assumptions" doc:"what the paper does not say"`
		Calibration *Calibration `json:"calibration" doc:"which values of what it leaves open fit its tables"`
	}
	doc.Read(&said)
	e.Assumptions, e.Calibration = said.Assumptions, said.Calibration
	return doc.Err()
}
