package directml

import "github.com/seed2e45c115/dml/slice1"

// Preference is an order of the machine's adapters.
type Preference uint32

// The values are the same as in DXGI_GPU_PREFERENCE.
const (
	Unspecified     Preference = 0 // DXGI's own order
	MinimumPower    Preference = 1 // integrated adapters before discrete and external ones
	HighPerformance Preference = 2 // external and discrete adapters before integrated ones; the default
)

// Option is a setting of [Open]. [Adapters] says which options it heeds too. If an option is given
// twice, the last one counts. A nil Option changes nothing.
type Option func(*config)

type config struct {
	preference Preference
	adapter    int    // index in the order of preference; -1 for the first that can be opened
	luid       uint64 // the LUID of the adapter; 0 for any
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

// WithPreference sets the order in which [Open] tries the adapters and [Adapters] lists
// them. The default is [HighPerformance].
func WithPreference(p Preference) Option { return func(c *config) { c.preference = p } }

// WithAdapter makes Open try only the adapter with the given Adapter.Index, software or not. The
// index depends on the preference. With a negative index Open tries all adapters, like without the
// option. Device n of ONNX Runtime's DirectML provider is WithPreference(Unspecified) and
// WithAdapter(n).
func WithAdapter(index int) Option { return func(c *config) { c.adapter = max(index, -1) } }

// WithLUID makes Open try only the adapter with that Adapter.LUID, software or not, whatever the
// preference. On Windows, Vulkan and CUDA also name adapters by their LUID. With 0 Open tries all
// adapters, like without the option.
func WithLUID(luid uint64) Option { return func(c *config) { c.luid = luid } }

// WithSoftware makes Open try software adapters too, for example Microsoft's Basic Render Driver
// (WARP). They are for tests: slice1's plans on the CPU are faster.
func WithSoftware() Option { return func(c *config) { c.software = true } }

// WithFeatureLevel makes Open refuse devices below the given level. The default is 2.1, the
// first level with SLICE1; a lower level means 2.1.
func WithFeatureLevel(level slice1.FeatureLevel) Option {
	return func(c *config) { c.level = max(level, slice1.FeatureLevel2_1) }
}

// WithDLL makes Open load DirectML from the file at that path, which must be absolute.
// Without the option, or with "", Open loads the DirectML.dll beside the executable or, if
// there is none, the one in System32. It searches neither the current directory nor PATH.
func WithDLL(path string) Option { return func(c *config) { c.dll = path } }

// WithDebugLayer turns on the debug layers of DXGI, Direct3D 12 and DirectML, which report misuse
// to the debugger and to [Device.Messages]. All need the optional Windows feature Graphics Tools.
// DirectML's also needs Windows' developer mode and, beside a redistributable DirectML.dll, its
// DirectML.Debug.dll. If a DLL of a layer is missing, Open fails and has changed nothing. Otherwise
// the first such Open turns on Direct3D's layer for the whole process, even if it fails for another
// reason. That removes the Direct3D 12 devices that the process already has. The Open cannot open
// an adapter that has such a device, and may open another one.
func WithDebugLayer() Option { return func(c *config) { c.debug = true } }
