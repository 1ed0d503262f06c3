package directml

import "github.com/seed2e45c115/dml/slice1"

// Preference orders the adapters of a machine.
type Preference uint32

// The values are those of DXGI_GPU_PREFERENCE. Before Windows 10 1803 all
// adapters come in DXGI's own order.
const (
	Unspecified     Preference = 0
	MinimumPower    Preference = 1 // integrated before discrete and external
	HighPerformance Preference = 2 // external and discrete before integrated; the default
)

// Option chooses the device that [Open] opens. Nil changes nothing.
type Option func(*config)

type config struct {
	preference Preference
	adapter    int // -1: the first that can be opened
	software   bool
	level      slice1.FeatureLevel
	dll        string
	debug      bool
}

func configure(opts []Option) config {
	c := config{preference: HighPerformance, adapter: -1, level: slice1.FeatureLevel2_1}
	for _, o := range opts {
		if o != nil {
			o(&c)
		}
	}
	return c
}

// WithPreference sets the order in which adapters are tried and counted.
func WithPreference(p Preference) Option { return func(c *config) { c.preference = p } }

// WithAdapter opens the adapter of the given index in [Adapters] with the same preference,
// software or not, and no other. A negative index changes nothing.
func WithAdapter(index int) Option { return func(c *config) { c.adapter = max(index, -1) } }

// WithSoftware allows software adapters, such as Microsoft's Basic Render Driver (WARP).
// They are for tests: slice1's plans on the CPU are faster.
func WithSoftware() Option { return func(c *config) { c.software = true } }

// WithFeatureLevel makes Open refuse devices below the given level. The default is 2.1, the
// first with SLICE1; lower values mean the same.
func WithFeatureLevel(least slice1.FeatureLevel) Option {
	return func(c *config) { c.level = max(least, slice1.FeatureLevel2_1) }
}

// WithDLL loads DirectML from the file at that absolute path and nowhere else. Without the
// option, or with "", Open loads the DirectML.dll beside the executable or, if there is
// none, the one in System32. The current directory and PATH are never searched.
func WithDLL(path string) Option { return func(c *config) { c.dll = path } }

// WithDebugLayer turns on the debug layers of Direct3D 12 and DirectML, which
// report misuse to the debugger. They need the optional Windows feature
// Graphics Tools, and DirectML's also Windows' developer mode and, beside a
// redistributable DirectML.dll, its DirectML.Debug.dll; Open fails where one of
// the two is missing. Direct3D's layer is the process's, and removes the
// Direct3D 12 devices that exist.
func WithDebugLayer() Option { return func(c *config) { c.debug = true } }
