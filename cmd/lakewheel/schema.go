package main

import (
	"github.com/spf13/cobra"

	"github.com/lakewheel/lakewheel/cmd/lakewheel/internal/config"
)

func schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of pipeline files",
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, err := config.JSONSchema()
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(append(b, '\n'))
			return err
		},
	}
}
