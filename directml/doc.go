// Package directml executes slices on the GPU through DirectML.
package directml
