package imageslice

// TypesOfPictures returns the names of all types that the package knows.
func TypesOfPictures() (names []string) {
	for _, k := range types {
		names = append(names, k.name)
	}
	return names
}
