package columnar_test

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
)

// TestIntervalsAsJSON: intervals print as SQL, with all units of their family.
func TestIntervalsAsJSON(t *testing.T) {
	mem := memory.NewCheckedAllocator(columnar.Heap)
	defer mem.AssertSize(t, 0)
	days := array.NewDurationBuilder(mem, arrow.FixedWidthTypes.Duration_us.(*arrow.DurationType))
	defer days.Release()
	days.AppendValues([]arrow.Duration{93784_500000, -1, 0}, []bool{true, true, false})
	months := array.NewMonthIntervalBuilder(mem)
	defer months.Release()
	months.AppendValues([]arrow.MonthInterval{14, -11}, nil)
	d, m := days.NewArray(), months.NewArray()
	defer d.Release()
	defer m.Release()
	for want, got := range map[string][]byte{
		`"INTERVAL '1 02:03:04.5' DAY TO SECOND"`:       columnar.AppendValueJSON(nil, d, 0),
		`"INTERVAL '-0 00:00:00.000001' DAY TO SECOND"`: columnar.AppendValueJSON(nil, d, 1),
		`null`:                             columnar.AppendValueJSON(nil, d, 2),
		`"INTERVAL '1-2' YEAR TO MONTH"`:   columnar.AppendValueJSON(nil, m, 0),
		`"INTERVAL '-0-11' YEAR TO MONTH"`: columnar.AppendValueJSON(nil, m, 1),
	} {
		require.Equal(t, want, string(got))
	}
}
