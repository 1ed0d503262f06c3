package sentence_test

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/sentence"
)

// Append extends the errors of one beginning, and returns others as they are.
func TestAppendExtendsErrorsOfOneBeginning(t *testing.T) {
	short := sentence.New("npy", io.ErrUnexpectedEOF, "the header ends too early")
	longer := sentence.Append("npy: ", "a.npy: ", short)
	require.EqualError(t, longer, "npy: a.npy: the header ends too early")
	require.ErrorIs(t, longer, io.ErrUnexpectedEOF)
	plain := errors.New("npy: not a file")
	for _, err := range []error{plain, sentence.New("slice1", io.EOF, "no data")} {
		require.Equal(t, err, sentence.Append("npy: ", "a.npy: ", err))
	}
}
