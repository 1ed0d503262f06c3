//go:build amd64 || arm64

package directml

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/windows"

	"github.com/seed2e45c115/dml/slice1"
)

func adapters(c config) ([]Adapter, error) {
	factory, err := openFactory(c)
	if err != nil {
		return nil, err
	}
	defer factory.release()
	var all []Adapter
	for {
		a, err := factory.adapter(len(all), c.preference)
		if errors.Is(err, notFound) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		desc, err := a.describe()
		a.release()
		if err != nil {
			return nil, err
		}
		all = append(all, Adapter{len(all), desc.name(), desc.software(), uint64(desc.dedicatedVideo)})
	}
}

func (d *adapterDesc) name() string { return windows.UTF16ToString(d.description[:]) }

func openFactory(c config) (dxgiFactory, error) {
	factory, err := createFactory(c.debug)
	if errors.Is(err, notSupported) {
		err = unsupportedError{err}
	}
	return factory, err
}

func open(c config) (*Device, error) {
	library, err := loadDirectML(c.dll)
	if err != nil {
		return nil, err
	}
	if c.debug {
		if err := enableDebugLayer(); err != nil {
			return nil, err
		}
	}
	factory, err := openFactory(c)
	if err != nil {
		return nil, err
	}
	defer factory.release()
	var reasons []error
	for i := max(c.adapter, 0); ; i++ {
		adapter, err := factory.adapter(i, c.preference)
		if errors.Is(err, notFound) {
			break
		} else if err != nil {
			return nil, err
		}
		d, err := openAdapter(c, library, adapter)
		adapter.release()
		if err == nil {
			return d, nil
		}
		reasons = append(reasons, err)
		if c.adapter >= 0 {
			break
		}
	}
	if reasons == nil {
		if c.adapter >= 0 {
			return nil, unsupported("no adapter %d", c.adapter)
		}
		return nil, unsupported("no adapter")
	}
	return nil, noDeviceError(reasons)
}

// noDeviceError says why each adapter did not do.
type noDeviceError []error

func (e noDeviceError) Error() string {
	reasons := make([]string, len(e))
	for i, err := range e {
		reasons[i] = strings.ReplaceAll(err.Error(), "directml: ", "")
	}
	return "directml: no device: " + strings.Join(reasons, "; ")
}

func (e noDeviceError) Is(target error) bool { return target == errors.ErrUnsupported }

func (e noDeviceError) Unwrap() []error { return e }

func openAdapter(c config, library library, adapter dxgiAdapter) (*Device, error) {
	desc, err := adapter.describe()
	if err != nil {
		return nil, err
	}
	d := &Device{info: Info{Adapter: desc.name(), Software: desc.software(), Version: library.version}}
	d.vendor = desc.vendor
	if d.info.Software && !c.software && c.adapter < 0 {
		return nil, fmt.Errorf("%s is software, which needs WithSoftware", d.info.Adapter)
	}
	if err := d.create(c, library, adapter); err != nil {
		d.release()
		return nil, fmt.Errorf("%s: %w", d.info.Adapter, err)
	}
	return d, nil
}

func (d *Device) create(c config, library library, adapter dxgiAdapter) (err error) {
	if d.d3d, err = createD3DDevice(adapter); err != nil {
		return err
	}
	if d.dml, err = createDMLDevice(library.create, d.d3d, c.debug); err != nil {
		return err
	}
	if d.info.FeatureLevel, err = d.dml.level(); err != nil {
		return err
	}
	if d.info.FeatureLevel < c.level {
		return fmt.Errorf("DirectML %s has feature level %s, not %s", library.version, levelName(d.info.FeatureLevel), levelName(c.level))
	}
	if d.capability, err = capabilityOf(d.info.FeatureLevel, d.dml.supports); err != nil {
		return err
	}
	for t := slice1.Float32; t <= slice1.Int64; t++ {
		if d.capability.takes(t) {
			d.info.DataTypes = append(d.info.DataTypes, t)
		}
	}
	if d.queue, err = d.d3d.createQueue(); err != nil {
		return err
	}
	if d.fence, err = d.d3d.createFence(); err != nil {
		return err
	}
	if d.recorder, err = d.dml.createRecorder(); err != nil {
		return err
	}
	d.turns = make(chan struct{}, maxLanes)
	d.closing = make(chan struct{})
	d.programs = make(map[operator]*compiled)
	d.buffers = make(map[*Buffer]struct{})
	return nil
}

// levelName writes a level as DirectML's documentation does: 6.4 for 0x6400.
func levelName(l slice1.FeatureLevel) string { return fmt.Sprintf("%d.%d", l>>12, l>>8&15) }
