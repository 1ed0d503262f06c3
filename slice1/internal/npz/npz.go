// Package npz finds the arrays of NumPy's .npz archives.
package npz

import "archive/zip"

// Find returns the member that NumPy takes for a name: the member of exactly that name, or else the
// member of the name with ".npy" behind it. If several members have the same name, it is the last
// one. Find returns nil if the archive has no such member.
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
