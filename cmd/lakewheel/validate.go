package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
	"github.com/lakewheel/lakewheel/columnar/aggregate"
	"github.com/lakewheel/lakewheel/columnar/compute"
	"github.com/lakewheel/lakewheel/planner"
)

func validateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "validate FILE...",
		Short: "Check pipeline files and show all faults at once; only Delta tables that are read without a schema are looked at",
		Args:  atLeast(1, "at least one pipeline file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			pipelines, err := loadAll(args)
			for _, p := range pipelines {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: ok, pipeline %s writes %s%s\n", p.File, p.Name, p.TableSchema(), replaced(p))
				for _, text := range daylight(p, time.Now()) {
					fmt.Fprintf(cmd.OutOrStdout(), "%s: warning: schedule: %s\n", p.File, text)
				}
			}
			return err
		},
	}
}

func planCommand() *cobra.Command {
	stage := ""
	cmd := &cobra.Command{
		Use:   "plan FILE",
		Short: "Print the plan of a pipeline as trees",
		Args:  exactly(1, "one pipeline file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			pipelines, err := loadAll(args)
			if err != nil {
				return err
			}
			stages := []string{"logical", "optimized", "physical"}
			if stage != "" {
				stages = []string{stage}
			}
			for _, s := range stages {
				tree := pipelines[0].Planned.Tree(s)
				if tree == "" {
					return usageError{fmt.Errorf("--stage %s: known are logical, optimized, physical", stage)}
				}
				fmt.Fprintf(cmd.OutOrStdout(), "== %s ==\n%s\n", s, tree)
			}
			for _, folded := range pipelines[0].Planned.Folded {
				fmt.Fprintln(cmd.OutOrStdout(), "Folded:", folded)
			}
			if rules := slices.Compact(slices.Sorted(slices.Values(pipelines[0].Planned.Fired))); len(rules) > 0 {
				fmt.Fprintln(cmd.OutOrStdout(), "Rules:", strings.Join(rules, ", "))
			}
			for _, line := range stateLines(pipelines[0].Planned.Physical) {
				fmt.Fprintln(cmd.OutOrStdout(), line)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&stage, "stage", "", "only this stage: logical, optimized or physical")
	return cmd
}

func functionsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "functions [NAME]",
		Short: "List the SQL functions",
		RunE: func(cmd *cobra.Command, args []string) error {
			found := false
			for _, f := range append(compute.Functions(), aggregate.Functions()...) {
				if len(args) > 0 && !strings.EqualFold(args[0], f.Name) {
					continue
				}
				found = true
				fmt.Fprintf(cmd.OutOrStdout(), "%-36s %s  Example: %s\n", f.Signature, f.Summary, f.Example)
			}
			if !found {
				if why, ok := planner.Refusal(args[0]); ok {
					return usageError{fmt.Errorf("%s", why)}
				}
				return usageError{fmt.Errorf("there is no function %s", args[0])}
			}
			return nil
		},
	}
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print what this binary was built from",
		RunE: func(cmd *cobra.Command, _ []string) error {
			version, revision := "development", ""
			if info, ok := debug.ReadBuildInfo(); ok {
				if info.Main.Version != "" && info.Main.Version != "(devel)" {
					version = info.Main.Version
				}
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" {
						revision = " " + s.Value
					}
				}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "lakewheel %s%s, %s %s/%s\n", version, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
}

// replaced says by what rows replace others in the table.
func replaced(p *config.Pipeline) string {
	switch keys, ok := p.KeyColumns(); {
	case !ok:
		return ""
	case len(keys) == 0:
		return ", one row that is replaced"
	default:
		return ", replaced by " + strings.Join(keys, ", ")
	}
}
