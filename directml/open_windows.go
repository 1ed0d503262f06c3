//go:build amd64 || arm64

package directml

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
	"github.com/seed2e45c115/dml/directml/internal/translate"
	"github.com/seed2e45c115/dml/slice1"
)

func adapters(c config) ([]Adapter, error) {
	factory, err := d3d.CreateFactory(c.debug)
	if err != nil {
		return nil, err
	}
	defer factory.Release()
	var found []Adapter
	for {
		adapter, err := factory.Adapter(len(found), uint32(c.preference))
		if errors.Is(err, d3d.NotFound) {
			return found, nil
		} else if err != nil {
			return nil, err
		}
		desc, err := adapter.Describe()
		driver := adapter.Driver()
		adapter.Release()
		if err != nil {
			return nil, err
		}
		found = append(found, Adapter{len(found), desc.LUID(), desc.Name(), desc.Vendor, driver, desc.IsSoftware(), uint64(desc.DedicatedVideo)})
	}
}

func open(c config) (*Device, error) {
	library, err := d3d.LoadDirectML(c.dll)
	if err != nil {
		return nil, err
	}
	factory, err := d3d.CreateFactory(c.debug)
	if err != nil {
		return nil, err
	}
	defer factory.Release()
	if c.debug {
		if err := library.FindDebugLayers(); err != nil {
			return nil, err
		}
	}
	var reasons []error
	for i := max(c.adapter, 0); ; i++ {
		adapter, err := factory.Adapter(i, uint32(c.preference))
		if errors.Is(err, d3d.NotFound) {
			break
		} else if err != nil {
			return nil, err
		}
		d, err := openAdapter(c, library, adapter)
		adapter.Release()
		if err == nil {
			return d, nil
		}
		if err != errOther {
			reasons = append(reasons, err)
		}
		if c.adapter >= 0 {
			break
		}
	}
	if reasons == nil {
		reason := ""
		if c.adapter >= 0 {
			reason = fmt.Sprintf(" %d", c.adapter)
		}
		if c.luid != 0 {
			reason += fmt.Sprintf(" of LUID %#x", c.luid)
		}
		return nil, d3d.Unsupported("no adapter%s", reason)
	}
	return nil, noDeviceError(reasons)
}

// noDeviceError holds, for each adapter that was tried, the reason why it was not opened. Its text
// names all the reasons. It is errors.ErrUnsupported unless one of them may pass.
type noDeviceError []error

func (e noDeviceError) Error() string {
	reasons := make([]string, len(e))
	for i, err := range e {
		reasons[i] = strings.ReplaceAll(err.Error(), "directml: ", "")
	}
	return "directml: no device: " + strings.Join(reasons, "; ")
}

func (e noDeviceError) Is(target error) bool {
	return target == errors.ErrUnsupported && !slices.ContainsFunc(e, d3d.Passes)
}

func (e noDeviceError) Unwrap() []error { return e }

// errOther is the error of openAdapter for an adapter with a LUID that WithLUID did not ask for.
var errOther = errors.New("directml: another adapter")

func openAdapter(c config, library d3d.Library, adapter d3d.Adapter) (*Device, error) {
	desc, err := adapter.Describe()
	if err != nil {
		return nil, err
	}
	if c.luid != 0 && c.luid != desc.LUID() {
		return nil, errOther
	}
	d := &Device{info: Info{Adapter: desc.Name(), LUID: desc.LUID(), Software: desc.IsSoftware(), Version: library.Version}}
	d.mostElements = translate.MostElements
	if d.info.Software && !c.software && c.adapter < 0 && c.luid == 0 {
		return nil, fmt.Errorf("%s is software, which needs WithSoftware", d.info.Adapter)
	}
	if err := d.create(c, library, adapter); err != nil {
		d.release()
		return nil, fmt.Errorf("%s: %w", d.info.Adapter, err)
	}
	return d, nil
}

func (d *Device) create(c config, library d3d.Library, adapter d3d.Adapter) (err error) {
	if c.debug {
		if err := d3d.EnableDebugLayer(); err != nil {
			return err
		}
	}
	if d.d3d, err = d3d.CreateDevice(adapter); err != nil {
		return err
	}
	if c.debug {
		if d.log, err = d.d3d.InfoQueue(); err != nil {
			return err
		}
	}
	if d.dml, err = library.CreateDevice(d.d3d, c.debug); err != nil {
		return err
	}
	if d.info.FeatureLevel, err = d.dml.Level(); err != nil {
		return err
	}
	if d.info.FeatureLevel < c.level {
		return fmt.Errorf("DirectML %s has feature level %v, not %v", library.Version, d.info.FeatureLevel, c.level)
	}
	if d.capability, err = translate.CapabilityOf(d.info.FeatureLevel, d.dml.Supports); err != nil {
		return err
	}
	for t := slice1.Float32; t <= slice1.Int64; t++ {
		if d.capability.Takes(t) {
			d.info.DataTypes = append(d.info.DataTypes, t)
		}
	}
	if d.queue, err = d.d3d.CreateQueue(); err != nil {
		return err
	}
	d.increment = d.d3d.DescriptorIncrement()
	if d.fence, err = d.d3d.CreateFence(); err != nil {
		return err
	}
	if d.recorder, err = d.dml.CreateRecorder(); err != nil {
		return err
	}
	d.turns = make(chan struct{}, maxLanes)
	d.compiling = make(chan struct{}, 1)
	d.closing = make(chan struct{})
	d.programs = make(map[translate.Operator]*compiled)
	d.buffers = make(map[*Buffer]struct{})
	return nil
}
