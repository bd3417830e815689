package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/demo"
	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/wire"
)

// maxDemoRate is more than the embedded broker takes on any machine.
const maxDemoRate = 1_000_000

func demoCommand() *cobra.Command {
	o := demo.Options{}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Watch two pipelines fill Delta tables from an embedded Kafka broker",
		Long: `Start an embedded Kafka broker on loopback, a generator of page views and two pipelines into Delta tables, all in one folder: one
filters and projects the views, the other counts them by page and window of 10 seconds. Show progress; and at the end prove from
the tables alone that nothing was lost or doubled, and that every closed window counts exactly its events.

Run again on the same folder, it goes on. Kill it at any moment and run it again: the proof still holds.`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !(o.Rate > 0) || o.Rate > maxDemoRate || o.Duration < 0 {
				return usageError{fmt.Errorf("--rate must be above 0 and at most %d, and --duration not below 0", maxDemoRate)}
			}
			o.Out, o.World, o.Stop = cmd.OutOrStdout(), wire.Real(logger()), stopOnSignal()
			o.OnProgress = (&progressLines{w: cmd.OutOrStdout()}).batch
			return demo.Run(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.Dir, "dir", "./lakewheel-demo", "folder of broker, tables and pipeline files")
	cmd.Flags().DurationVar(&o.Duration, "duration", 20*time.Second, "how long to produce; 0: until Ctrl-C")
	cmd.Flags().Float64Var(&o.Rate, "rate", 1000, "records a second")
	cmd.Flags().Uint64Var(&o.Seed, "seed", 1, "seed of the stream; a folder keeps the one it began with")
	return cmd
}
