// Package npz finds the arrays of NumPy's .npz archives.
package npz

import "archive/zip"

// Find returns the member that NumPy takes for a name: the one of exactly that name or else of the
// name with ".npy" behind it. Of several such members it is the last. Find returns nil if there is
// none.
func Find(z *zip.Reader, name string) *zip.File {
	for _, name := range []string{name, name + ".npy"} {
		for i := len(z.File) - 1; i >= 0; i-- {
			if z.File[i].Name == name {
				return z.File[i]
			}
		}
	}
	return nil
}
