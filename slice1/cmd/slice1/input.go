package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"image"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
	"github.com/seed2e45c115/dml/slice1/internal/npz"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// open opens the input j.source and reads its header. The name - means standard input. saved is the
// job of -desc, or nil. Errors name the input, unless they are usage errors or IndexErrors.
func (j *job) open(saved *savedJob) (*array, error) {
	name, member := splitMember(j.source)
	src, err := contents(name, j.stdin)
	if err != nil {
		return nil, err
	}
	arr := &array{source: src}
	err = j.parse(arr, member, saved)
	switch {
	case err != nil:
	case j.orient != 0 && !arr.picture:
		err = usagef("-orient is for pictures, which %s is not", arr.name)
	case len(arr.Shape) > arr.maxRank():
		err = fmt.Errorf("%s of rank %d, of which at most %d are sliced", arr.typeName(), len(arr.Shape), arr.maxRank())
	default:
		return arr, nil
	}
	err = errors.Join(err, arr.Close())
	if _, text := errors.AsType[*slice1.IndexError](err); text || errors.Is(err, errUsage) {
		return nil, err
	}
	return nil, named(arr.name, err)
}

const npyMagic = "\x93NUMPY"

// parse reads the header of the array's source. It reads no element of a pipe, unless all of the
// pipe is needed.
func (j *job) parse(arr *array, member string, saved *savedJob) error {
	if j.raw != "" {
		return j.parseRaw(arr, saved)
	}
	start, err := arr.start()
	switch {
	case err != nil:
		return err
	case begins(start, "PK\x03\x04"), begins(start, "PK\x05\x06"):
		return j.parseArchive(arr, member)
	case member != "":
		return usagef("%s is no .npz: it has no members", arr.name)
	case pictureOf(start) != nil:
		return arr.parsePicture(pictureOf(start), j.orient)
	case len(start) == 0:
		return errors.New("is empty")
	case strings.HasPrefix(npyMagic, string(start)), begins(start, npyMagic):
		return arr.parseNPY(0, arr.size)
	}
	return foreign(arr.name, start)
}

// foreign returns the error for a file with a name that begins with start and has no format that
// the command reads.
func foreign(name string, start []byte) error {
	says := hint(foreignFormats, func(quoted string) bool {
		magic, err := strconv.Unquote(quoted)
		return err == nil && begins(start, magic)
	})
	if says == "" {
		return errors.New("not .npy, .npz, PNG, JPEG, GIF, PGM or PPM; -raw takes elements without a header")
	}
	return fmt.Errorf("%s is %s", name, strings.Replace(says, "IN", strings.Replace(name, "standard input", "-", 1), 1))
}

// parseNPY makes the array that of an .npy file. The file is size bytes of the array's source from
// offset on, or the source's pipe.
func (arr *array) parseNPY(offset, size int64) (err error) {
	h := npy.Header{}
	if arr.pipe != nil {
		h, err = npy.ReadHeader(arr.pipe)
	} else {
		h, err = npy.ReadHeaderAt(io.NewSectionReader(arr.source, offset, size))
	}
	if err != nil {
		return err
	}
	if arr.Header = typed(h); h.Size > maxAlloc {
		return arr.tooLarge()
	}
	arr.lie(offset+h.Offset, h.Size)
	return nil
}

// verifyBytes is the largest stored member whose checksum is verified. To verify it, all of it is
// read.
const verifyBytes = 64 << 20

// parseArchive makes the array that of a member of an .npz. findMember finds the member by its
// name. A stored member is read in place. A compressed member is treated like a pipe: it is
// inflated while it is sliced, or it is held in memory. Either way all of it is read, and so its
// checksum is verified.
func (j *job) parseArchive(arr *array, name string) error {
	if err := arr.source.readPipe(); err != nil {
		return err
	}
	z, err := zip.NewReader(arr.source, arr.size)
	if err != nil {
		return err
	}
	f, err := j.findMember(z, arr.name, name)
	if err != nil {
		return err
	}
	r, err := npy.OpenMember(arr.source, arr.source.size, f.Name)
	if err != nil {
		return err
	}
	if f.Method == zip.Store {
		if f.UncompressedSize64 <= verifyBytes {
			if _, err := io.Copy(io.Discard, r); err != nil {
				return err
			}
		}
		start, err := f.DataOffset()
		size := int64(f.CompressedSize64)
		if err != nil || start < 0 || size < 0 || start > arr.source.size || size > arr.source.size-start {
			return errors.Join(zip.ErrFormat, err)
		}
		return arr.parseNPY(start, size)
	}
	// The pipe reads the archive's source, of which everything else is the member's.
	member := *arr.source
	member.file, member.bytes, member.size, member.pipe = nil, nil, 0, newPipe(r)
	member.pipe.summed = true
	arr.source = &member
	return arr.parseNPY(0, 0)
}

// findMember returns the member that NumPy takes for a name or, if the name is empty, the only file
// of the archive. archive is the name of the archive, for errors.
func (j *job) findMember(z *zip.Reader, archive, name string) (*zip.File, error) {
	names, f := npy.Members(z), npz.Find(z, name)
	switch {
	case f != nil && name != "":
		return f, nil
	case len(names) == 0:
		return nil, errors.New("no .npy member in the archive")
	case name == "" && len(z.File) == 1:
		return z.File[0], nil
	}
	missing := fmt.Sprintf("no member %q", clip(name))
	if name == "" {
		missing = fmt.Sprintf("%d files", len(z.File))
	}
	return nil, usagef("%s: %s, name one as in %s:%s: %s", archive, missing, archive, names[0], strings.Join(names[:min(len(names), 12)], ", "))
}

// rawCodes maps names that -raw and -to take to NumPy's, which they take as well. i8 and u8 count
// bits here. In NumPy they count bytes.
var rawCodes = map[string]string{
	"bf16": bfloat16, "f16": "f2", "f32": "f4", "f64": "f8",
	"i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "u8": "u1", "u16": "u2", "u32": "u4", "u64": "u8",
}

// parseType returns the type of elements that -raw or -to calls name, in a Header of one element. A
// name without a byte order means the machine's. The names are slice1's, those of rawCodes, and
// those in .npy headers, of which lists of fields are some. A name could end the string that it
// stands in. It then repeats a key of the header or leaves text after it. Either is a usage error,
// and so is an unknown name.
func parseType(name string) (npy.Header, error) {
	var t slice1.DataType
	if t.UnmarshalText([]byte(name)) == nil {
		return headerOf(t), nil
	}
	if name == "float" {
		return npy.Header{}, usagef("-raw float: NumPy's is float64, C's is float32")
	}
	header, err := npy.AppendHeader(nil, npy.Header{Descr: cmp.Or(rawCodes[name], name), UTF8: true})
	if err == nil {
		if h, err := npy.ReadHeader(bytes.NewReader(header)); err == nil {
			return typed(h), nil
		}
	}
	return npy.Header{}, usagef("-raw %s: types are float32, int8 and so on, f4, i1 or <i8 as NumPy has them, or f32, bf16, i8 to i64, u8 to u64 in bits; frames are %s, or FFmpeg's words for them; bool, c8, M8[ns] and others are moved as they are", name, formNames())
}

// setRawType sets the type of the array, or its video, from -raw.
func (j *job) setRawType(arr *array) error {
	words := strings.Split(j.raw, ",")
	if form, full, err := formOf(words[0]); err != nil {
		return err
	} else if form != nil {
		return j.setVideo(arr, form, full, words)
	}
	h, err := parseType(j.raw)
	arr.Header = h
	return err
}

// parseRaw makes the array's source, without the bytes of -skip, its elements. The shape is the
// shape of the saved job, which is nil without -desc, or of -shape. Without both there is one axis.
// If the first extent of a pipe is unknown, the array is open and gets the largest possible extent.
// If the shape is unknown in another way, the whole pipe is read.
func (j *job) parseRaw(arr *array, saved *savedJob) error {
	arr.raw = true
	if err := j.setRawType(arr); err != nil {
		return err
	}
	text := cmp.Or(j.shape, "-1")
	shape, err := parseShape(text)
	if err != nil {
		return err
	}
	parts, size := shape, arr.elementSize() // of the source, whose parts are elements or frames
	if v := arr.video; v != nil {
		if shape, err = v.setShape(shape); err != nil {
			return err
		}
		parts, size = shape[:len(shape)-3], v.size()
	}
	unknown := slices.Index(parts, -1)
	streams := arr.pipe != nil && saved == nil && (unknown < 0 || unknown == 0 && !slices.Contains(parts, 0))
	if !streams {
		if err := arr.source.readPipe(); err != nil {
			return err
		}
		if arr.Offset = j.skip; j.skip > arr.source.size {
			return arr.misfit(arr.source.size - j.skip)
		}
		arr.lie(j.skip, arr.source.size-j.skip)
		if saved != nil {
			arr.Shape = saved.Input.Sizes
			return nil
		}
		if err := fill(text, parts, arr.Size/size); err != nil {
			return err
		}
	}
	arr.Shape = shape
	if arr.open = streams && unknown == 0; arr.open {
		parts[0] = 1
	}
	needed := arr.memory(shape)
	if arr.open {
		parts[0] = int((maxOpen - min(j.skip, maxOpen/2)) / max(needed, 1))
	}
	if needed < 0 || arr.open && parts[0] < 2 {
		return arr.tooLarge()
	}
	given := arr.Size
	if arr.Size = size * int64(product(parts)); !streams && arr.Size != given {
		return arr.misfit(given)
	}
	arr.lie(j.skip, arr.Size)
	return nil
}

// parseShape reads the extents of -shape, separated by commas or x, in brackets or not, for example
// 3,4 or 3x4 or (3, 4). One extent may be -1.
func parseShape(text string) ([]int, error) {
	shape, err := integers("-shape", text, -1)
	if open := slices.Index(shape, -1); open >= 0 && slices.Contains(shape[open+1:], -1) {
		return nil, usagef("-shape %s: only one extent may be -1", text)
	}
	return shape, err
}

// fill replaces an extent of -1 of the shape in text, if there is one, by the one that gives so
// many elements.
func fill(text string, shape []int, elements int64) error {
	open := slices.Index(shape, -1)
	if open < 0 {
		return nil
	}
	shape[open] = 1
	known := sizeOf(1, shape)
	if known <= 0 || elements%known != 0 || elements/known > math.MaxInt {
		return usagef("-shape %s: %d elements do not fill this shape", text, elements)
	}
	shape[open] = int(elements / known)
	return nil
}

// video makes RGB from raw frames, with four bytes per pixel. The last byte is 255. It holds one
// frame.
type video struct {
	*array
	form          *imageslice.Format
	name          string // of the form
	matrix        imageslice.Matrix
	colours       imageslice.Colours
	full          bool
	width, height int
	pix           []byte            // the frame's bytes
	frame         *imageslice.Frame // the frame; nil: none yet
	number        int64             // its number
	part          image.RGBA        // rows that are not asked for whole
}

// setShape sets the size of a frame from the value of -shape: [height, width] of one frame, or
// [frames, height, width]. It returns the shape of the pixels, which have an axis of colours.
func (v *video) setShape(shape []int) ([]int, error) {
	const limit = 1 << 20 // pixels along an axis
	rank := len(shape)
	if rank < 2 || rank > 3 || shape[rank-2] < 1 || shape[rank-1] < 1 {
		return nil, usagef("-shape %v: height and width expected, or frames, height and width", brackets(shape))
	}
	if v.height, v.width = shape[rank-2], shape[rank-1]; max(v.height, v.width) > limit {
		return nil, usagef("-shape %v: at most %d pixels along an axis", brackets(shape), limit)
	}
	if v.Shape = append(shape, 3); v.memory(v.Shape[rank-2:]) < 0 {
		return nil, v.tooLarge()
	}
	v.strides = []int{4 * v.width * v.height, 4 * v.width, 4, 1}[3-rank:]
	return v.Shape, nil
}

// size returns the bytes of a frame, whose sides setShape has checked.
func (v *video) size() int64 {
	size, _ := v.form.Size(v.width, v.height, 0)
	return size
}

// ReadAt implements io.ReaderAt for the pixels: offset 0 is the first byte of the first frame.
func (v *video) ReadAt(b []byte, offset int64) (n int, err error) {
	row := 4 * int64(v.width)
	for n < len(b) {
		y, x, rest := offset/row, offset%row, b[n:]
		if err := v.load(y / int64(v.height)); err != nil {
			return n, err
		}
		line := int(y % int64(v.height))
		part, rows := &v.part, int(min((x+int64(len(rest))+row-1)/row, int64(v.height-line)))
		if x == 0 && int64(len(rest)) >= int64(rows)*row {
			part = &image.RGBA{Pix: rest}
		} else if need := rows * int(row); cap(part.Pix) < need {
			part.Pix = make([]byte, need)
		}
		part.Stride, part.Rect = int(row), image.Rect(0, 0, v.width, rows)
		part.Pix = part.Pix[:rows*part.Stride]
		if err := imageslice.ToRGBA(part, v.frame, image.Rect(0, line, v.width, line+rows)); err != nil {
			return n, err
		}
		m := len(part.Pix)
		if part == &v.part {
			m = copy(rest, part.Pix[x:])
		}
		n, offset = n+m, offset+int64(m)
	}
	return n, nil
}

// load makes v hold frame i.
func (v *video) load(i int64) (err error) {
	if v.frame != nil && v.number == i {
		return nil
	}
	size := v.size()
	if v.pix == nil {
		if err := v.claim(size); err != nil {
			return err
		}
		v.pix = make([]byte, size)
	}
	v.frame = nil
	if _, err := v.source.ReadAt(v.pix, v.Offset+i*size); err != nil {
		return err
	}
	f, err := v.form.Frame(v.pix, v.width, v.height, 0)
	if err != nil {
		return err
	}
	f.Matrix, f.FullRange, f.Colours = v.matrix, v.full, v.colours
	v.frame, v.number = f, i
	return nil
}

// formOf returns the format of frames that -raw or FFmpeg calls by a name, or nil, and whether
// their colours have the full range, as in FFmpeg's yuvj420p. It is a usage error if FFmpeg has
// such frames and -raw has not.
func formOf(name string) (form *imageslice.Format, full bool, err error) {
	if way := hint(foreignFrames, hasWord(strings.TrimSuffix(name, "le"))); way != "" {
		return nil, false, usagef("-raw %s: %s", name, way)
	}
	for _, f := range imageslice.Formats() {
		word := cmp.Or(f.FFmpeg, f.Name)
		switch name {
		case f.Name, word, strings.TrimSuffix(word, "le"):
			return &f, false, nil
		case strings.Replace(word, "yuv4", "yuvj4", 1):
			return &f, true, nil
		}
	}
	return nil, false, nil
}

// formNames returns the names of all formats of frames.
func formNames() string {
	var names []string
	for _, f := range imageslice.Formats() {
		names = append(names, f.Name)
	}
	final := len(names) - 1
	return strings.Join(names[:final], ", ") + " or " + names[final]
}

var videoMatrices = map[string]imageslice.Matrix{"bt601": imageslice.BT601, "bt709": imageslice.BT709, "bt2020": imageslice.BT2020}

// videoColours has the rules of libraries whose R, G and B are not the real numbers of a matrix.
var videoColours = map[string]imageslice.Colours{"swscale": imageslice.Swscale, "opencv": imageslice.OpenCV}

// setVideo makes arr frames of a form and of the colours in words, which are -raw's. full says that
// colours have the full range, whether or not words do.
func (j *job) setVideo(arr *array, form *imageslice.Format, full bool, words []string) error {
	v := &video{array: arr, form: form, name: words[0], full: full}
	rest := append(words[1:], "")
	if m, ok := videoMatrices[rest[0]]; ok {
		v.matrix, rest = m, rest[1:]
	}
	if rest[0] == "full" {
		v.full, rest = true, rest[1:]
	}
	if c, ok := videoColours[rest[0]]; ok {
		v.colours, rest = c, rest[1:]
	}
	if len(rest) > 1 {
		return usagef("-raw %s: %s: colours are one of %s, then full, then swscale or opencv", words[0], clip(rest[0]), strings.Join(slices.Sorted(maps.Keys(videoMatrices)), ", "))
	}
	if v.colours == imageslice.OpenCV && (v.full || len(words) > 2) {
		return usagef("-raw %s: opencv's cvtColor has limited BT.601 alone", strings.Join(words, ","))
	}
	if j.shape == "" {
		return usagef("-raw %s needs -shape of height and width, or of frames, height and width, and no -desc", words[0])
	}
	arr.Type, arr.video = slice1.Uint8, v
	return nil
}
