//go:build !cgo || !amd64

package main

import "image"

var planesPastCaches func(dst []float32, m *image.RGBA, scale float32)
