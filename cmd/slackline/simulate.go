package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
)

func newSimulate(o *options) *cobra.Command {
	return o.bindRuns(&cobra.Command{
		Use:   "simulate SCENARIO.yaml...",
		Short: "Play scenarios in virtual time",
		Long:  "Plays each scenario under each of its policies, with each of its seeds.",
		Example: `  slackline simulate examples/two-jobs.yaml
  slackline simulate examples/two-jobs.yaml --policy fifo,edf-p --seed 1..5 -o json`,
		Args:              some("scenario files"),
		ValidArgsFunction: yamlFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			var cells []lab.Cell
			for _, file := range args {
				src, err := readFile(file)
				if err != nil {
					return err
				}
				more, err := o.scenarioCells(cmd, file, src)
				if err != nil {
					return err
				}
				cells = append(cells, more...)
			}
			runs, err := o.runCells(cmd, cells)
			if err != nil {
				return err
			}
			return o.finish(cmd.OutOrStdout(), report.New(runs...))
		},
	})
}

// readFile is os.ReadFile with a sentence of its own.
func readFile(name string) ([]byte, error) {
	src, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		err = fmt.Errorf("%s: there is no such file", name)
	} else if err != nil {
		err = fmt.Errorf("%s: it cannot be read: %w", name, err)
	}
	return src, err
}

// scenarioCells makes the grid of a scenario: policy by policy, seed by seed.
func (o *options) scenarioCells(cmd *cobra.Command, file string, src []byte) ([]lab.Cell, error) {
	size, err := o.size(cmd)
	if err != nil {
		return nil, err
	}
	s, err := scenario.ReadResized(file, src, size)
	if err != nil {
		return nil, err
	}
	policies, err := o.askedPolicies(s.Config)
	if err != nil {
		return nil, err
	}
	if policies == nil {
		if s.Policies == nil {
			s.Policies = []string{lab.DefaultPolicy}
		}
		for i, text := range s.Policies {
			p, err := lab.PolicyName(text, s.Config)
			if err != nil {
				return nil, s.Errorf(fmt.Sprintf("policies[%d]", i), "%v", err)
			}
			policies = append(policies, p)
		}
	}
	otherwise := []uint64(s.Seeds)
	if otherwise == nil {
		otherwise = []uint64{1}
	}
	seeds, err := o.seeds(otherwise...)
	if err != nil {
		return nil, err
	}
	return lab.Cells(s, policies, seeds), nil
}

// runCells runs a grid on all cores, with a progress bar and journals.
func (o *options) runCells(cmd *cobra.Command, cells []lab.Cell) ([]*report.Run, error) {
	if err := o.record(cells); err != nil {
		return nil, err
	}
	progress := newBar(cmd.ErrOrStderr(), len(cells))
	runs, err := lab.Grid(cmd.Context(), cells, 0, progress.step)
	progress.close()
	return runs, err
}

// record names a journal for each run: the file of the flag for one, files in a folder for several.
func (o *options) record(cells []lab.Cell) error {
	if o.journal == "" {
		return nil
	}
	if len(cells) == 1 {
		cells[0].Journal = o.journal
		return nil
	}
	if err := os.MkdirAll(o.journal, 0o777); err != nil {
		return fmt.Errorf("--journal: the folder for several runs cannot be made: %w", err)
	}
	for i := range cells {
		c := &cells[i]
		c.Journal = filepath.Join(o.journal, fmt.Sprintf("%s-%s-%d.journal", fileName(c.Scenario), fileName(c.Policy), c.Seed))
	}
	return nil
}

// fileName makes a text fit for a file's name.
func fileName(s string) string {
	name := []rune(s)
	for i, c := range name {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.' || c == '_' || c == '+' || c == '=') {
			name[i] = '_'
		}
	}
	return string(name)
}
