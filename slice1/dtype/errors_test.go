package dtype_test

import (
	"testing"

	"github.com/seed2e45c115/dml/slice1/dtype"
	"github.com/seed2e45c115/dml/slice1/sentence/sentencetest"
)

// The text of each error has what was given. Package slice1 has these types under their names, so
// the texts begin with its name.
func TestErrorsSayWhatIsWrong(t *testing.T) {
	_, unknown := dtype.DataType(12).MarshalText()
	_, unwritten := dtype.FeatureLevel(7).MarshalText()
	var typ dtype.DataType
	var level dtype.FeatureLevel
	rows := []sentencetest.Row{
		sentencetest.Plain(unknown, "DataType(12): the data type is unknown or does not match", dtype.ErrDataType),
		sentencetest.Plain(typ.UnmarshalText([]byte("float33")), `"float33": the data type is unknown or does not match`, dtype.ErrDataType),
		sentencetest.Plain(unwritten, "FeatureLevel(7): the text cannot be understood", dtype.ErrSyntax),
		sentencetest.Plain(level.UnmarshalText([]byte("2.")), `feature level "2.": the text cannot be understood`, dtype.ErrSyntax),
	}
	sentencetest.Check(t, "slice1", rows)
	sentencetest.CheckPlaces(t, ".", []string{"Errorf", "New"}, sentencetest.Texts(rows))
}
