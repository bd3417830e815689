package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
	"github.com/lakewheel/lakewheel/lakehouse"
)

func historyCommand() *cobra.Command {
	asJSON, limit := false, 0
	cmd := &cobra.Command{
		Use:   "history FILE",
		Short: "Show the commits of a pipeline's table, newest first",
		Args:  exactly(1, "one pipeline file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			pipelines, err := loadAll(args)
			if err != nil {
				return err
			}
			if pipelines[0].Sink.Console {
				return usageError{fmt.Errorf("%s: a console sink has no history", args[0])}
			}
			opts, err := wire.CommitterOptions(pipelines[0], wire.Real(logger()))
			if err != nil {
				return err
			}
			snap, err := opts.Table.Snapshot(cmd.Context())
			if err != nil {
				return err
			}
			if limit < 1 {
				return usageError{fmt.Errorf("--limit %d: at least 1", limit)}
			}
			entries, err := opts.Table.History(cmd.Context(), snap, limit)
			if err != nil {
				return err
			}
			for _, e := range entries {
				if asJSON {
					if err := json.NewEncoder(cmd.OutOrStdout()).Encode(historyJSON(e)); err != nil {
						return err
					}
					continue
				}
				fmt.Fprintln(cmd.OutOrStdout(), historyLine(e))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON lines")
	cmd.Flags().IntVar(&limit, "limit", 50, "how many commits to show")
	return cmd
}

func historyLine(e lakehouse.Entry) string {
	line := fmt.Sprintf("version %d  %s  %s", e.Version, time.UnixMilli(e.Time).UTC().Format(time.RFC3339), e.Operation)
	for _, app := range sortedApps(e) {
		line += fmt.Sprintf("  %s batch %d", app, e.Txns[app].Batch)
	}
	return line + fmt.Sprintf("  +%d -%d files", e.Adds, len(e.Removes))
}

func historyJSON(e lakehouse.Entry) map[string]any {
	return map[string]any{"version": e.Version, "time": time.UnixMilli(e.Time).UTC().Format(time.RFC3339Nano), "operation": e.Operation,
		"txns": e.Txns, "adds": e.Adds, "removes": len(e.Removes), "info": e.Info}
}
