package dev.tilewright.tensormap;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.Swizzle;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Reads the 128 bytes back, by {@link Sm90Layout}. */
public final class TensorMapDecoder {

    private static final TensorDataType[] FORMATS = {
        TensorDataType.UINT8, TensorDataType.UINT16, TensorDataType.UINT32, TensorDataType.INT32, TensorDataType.UINT64,
        TensorDataType.INT64, TensorDataType.FLOAT16, TensorDataType.FLOAT32, TensorDataType.FLOAT32_FTZ,
        TensorDataType.FLOAT64, TensorDataType.BFLOAT16};

    private TensorMapDecoder() {
    }

    /**
     * The description that the bytes hold. They are taken to be sm_90's; what does not fit that layout is named among the
     * unknowns, and so is what the layout leaves open.
     *
     * @throws BadRequestException if they cannot be a tensor map of sm_90: a rank, format or interleave that it has not
     */
    public static DecodedTensorMap decode(TensorMapDescriptor descriptor) {
        MemorySegment bytes = MemorySegment.ofArray(descriptor.bytes());
        int flags = word(bytes, 0x08);
        boolean im2col = (flags & 1) != 0;
        int rank = 1 + (flags >>> 4 & 7);
        int format = flags >>> 7 & 15;
        int interleave = flags >>> Sm90Layout.INTERLEAVE_SHIFT & 3;
        if (rank > 5 || im2col && rank < 3) {
            throw refuse("rank " + rank + " in bits 4-6 of the word at 0x08; " + (im2col ? "im2col maps have 3 to 5"
                    : "there are 1 to 5"));
        }
        if (format >= FORMATS.length) {
            throw refuse("format " + format + " in bits 7-10 of the word at 0x08; sm_90 has 0 to 10");
        }
        if (interleave > 2) {
            throw refuse("interleave 3 in bits 11-12 of the word at 0x08; there are 0 to 2");
        }
        TensorMap map = im2col ? im2col(bytes, flags, rank) : tiled(bytes, flags, rank);
        return new DecodedTensorMap(map, descriptor.address(), unknowns(bytes, map, descriptor.address()));
    }

    private static BadRequestException refuse(String what) {
        return new BadRequestException("these bytes are no tensor map of sm_90: they have " + what);
    }

    private static TiledTensorMap tiled(MemorySegment bytes, int flags, int rank) {
        List<Integer> box = new ArrayList<>();
        box.add(1 + (word(bytes, 0x34) >>> 24));
        for (int d = 1; d < rank; d++) {
            box.add(1 + (word(bytes, 0x38) >>> 8 * (d - 1) & 0xFF));
        }
        return new TiledTensorMap(type(flags), dims(bytes, rank), strides(bytes, rank), box, elementStrides(bytes, rank),
                interleave(flags), swizzle(flags), l2(flags), fill(flags));
    }

    private static Im2colTensorMap im2col(MemorySegment bytes, int flags, int rank) {
        int bits = Sm90Layout.cornerBits(rank);
        int corners = word(bytes, 0x38);
        List<Integer> lower = new ArrayList<>();
        List<Integer> upper = new ArrayList<>();
        for (int s = 0; s < rank - 2; s++) {
            lower.add(signed(corners >>> bits * s, bits));
            upper.add(signed(corners >>> 16 + bits * s, bits));
        }
        return new Im2colTensorMap(type(flags), dims(bytes, rank), strides(bytes, rank), lower, upper,
                1 + (word(bytes, 0x34) >>> 24), 1 + (word(bytes, 0x3C) & 0x3FF), elementStrides(bytes, rank),
                interleave(flags), swizzle(flags), l2(flags), fill(flags));
    }

    private static int signed(int value, int bits) {
        return value << 32 - bits >> 32 - bits;
    }

    private static TensorDataType type(int flags) {
        TensorDataType type = FORMATS[flags >>> 7 & 15];
        boolean tf32 = (flags >>> Sm90Layout.TF32_SHIFT & 1) != 0;
        return !tf32 ? type : type == TensorDataType.FLOAT32 ? TensorDataType.TFLOAT32
                : type == TensorDataType.FLOAT32_FTZ ? TensorDataType.TFLOAT32_FTZ : type;
    }

    private static List<Long> dims(MemorySegment bytes, int rank) {
        List<Long> dims = new ArrayList<>();
        for (int d = 0; d < rank; d++) {
            dims.add(1 + Integer.toUnsignedLong(word(bytes, 0x20 + 4 * d)));
        }
        return dims;
    }

    private static List<Long> strides(MemorySegment bytes, int rank) {
        List<Long> strides = new ArrayList<>();
        for (int i = 0; i < rank - 1; i++) {
            long high = word(bytes, 0x1C) >>> 4 * i & 15;
            strides.add((Integer.toUnsignedLong(word(bytes, 0x0C + 4 * i)) | high << 32) << 4);
        }
        return strides;
    }

    private static List<Integer> elementStrides(MemorySegment bytes, int rank) {
        List<Integer> steps = new ArrayList<>();
        for (int d = 0; d < rank; d++) {
            steps.add(1 + (word(bytes, 0x34) >>> 3 * d & 7));
        }
        return steps;
    }

    private static Interleave interleave(int flags) {
        return Interleave.values()[flags >>> Sm90Layout.INTERLEAVE_SHIFT & 3];
    }

    private static Swizzle swizzle(int flags) {
        return Swizzle.values()[flags >>> Sm90Layout.SWIZZLE_SHIFT & 3];
    }

    private static L2Promotion l2(int flags) {
        return L2Promotion.values()[flags >>> Sm90Layout.L2_SHIFT & 3];
    }

    private static OobFill fill(int flags) {
        return OobFill.values()[flags >>> Sm90Layout.NAN_SHIFT & 1];
    }

    /** What the bytes leave open, and each 32-bit word that the description does not give back. */
    private static List<String> unknowns(MemorySegment bytes, TensorMap map, long address) {
        List<String> unknowns = new ArrayList<>();
        unknowns.add("the target it was made for: read by sm_90's layout, later ones differ in places not published");
        if (map.type() == TensorDataType.UINT8) {
            unknowns.add("what the bytes are: UINT8 also carries int8, bool and 8-bit floats");
        } else if (map.type() == TensorDataType.UINT16) {
            unknowns.add("what the 16 bits are: UINT16 also carries int16");
        }
        if (map instanceof Im2colTensorMap) {
            unknowns.add("the im2col offsets: they are operands of the copy");
        }
        MemorySegment again = MemorySegment.ofArray(new byte[Sm90Layout.BYTES]);
        switch (map) {
            case TiledTensorMap tiled -> Sm90Layout.write(tiled, address, again);
            case Im2colTensorMap im2col -> Sm90Layout.write(im2col, address, again);
            case Im2colWideTensorMap wide -> throw new IllegalStateException("no wide map is decoded");
        }
        for (int at = 8; at < Sm90Layout.BYTES; at += 4) {
            int is = word(bytes, at);
            int expected = word(again, at);
            if (is != expected) {
                unknowns.add(switch (at) {
                    case 0x40 -> "why the byte count at 0x40 is " + Integer.toUnsignedString(is) + " where the box has "
                            + Integer.toUnsignedString(expected);
                    case 0x48 -> "why the shared alignment at 0x48 is " + Integer.toUnsignedString(is)
                            + " where the swizzle wants " + expected;
                    default -> "what the bits 0x%08x of the word at 0x%02x mean: sm_90's driver leaves them 0x%08x"
                            .formatted(is ^ expected, at, expected & (is ^ expected));
                });
            }
        }
        Validation validation = map.validate(dev.tilewright.ptx.Target.SM_90);
        if (!validation.ok()) {
            unknowns.add("who made it: sm_90's driver refuses such a map; " + validation.report());
        }
        return unknowns;
    }

    private static int word(MemorySegment bytes, int offset) {
        return (int) (bytes.get(Sm90Layout.WORD, offset & ~7) >>> 8 * (offset & 4));
    }
}
