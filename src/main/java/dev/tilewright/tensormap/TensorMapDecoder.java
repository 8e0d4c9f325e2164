package dev.tilewright.tensormap;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.sm90.Sm90Fields;
import dev.tilewright.tensormap.sm90.Sm90Layout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Reads the 128 bytes back, as {@link Sm90Fields} has them. */
public final class TensorMapDecoder {

    private TensorMapDecoder() { }

    /**
     * The description that the bytes hold. They are taken to be sm_90's; what does not fit that layout is named among
     * the unknowns, and so is what the layout leaves open.
     *
     * @throws BadRequestException if they cannot be a tensor map of sm_90: a rank, format or interleave that it has not
     */
    public static DecodedTensorMap decode(TensorMapDescriptor descriptor) {
        Objects.requireNonNull(descriptor, "descriptor");
        Sm90Fields fields = new Sm90Fields(MemorySegment.ofArray(descriptor.bytes()));
        if (!fields.complaint().isEmpty()) {
            throw new BadRequestException("these bytes are no tensor map of sm_90: they have " + fields.complaint());
        }
        TensorMap map = fields.isIm2col() ? im2col(fields) : tiled(fields);
        return new DecodedTensorMap(map, fields.address(), unknowns(fields, map));
    }

    private static TiledTensorMap tiled(Sm90Fields f) {
        return new TiledTensorMap(f.type(), f.dims(), f.strides(), f.box(), f.elementStrides(), interleave(f),
                f.swizzle(),
                l2(f), fill(f));
    }

    private static Im2colTensorMap im2col(Sm90Fields f) {
        return new Im2colTensorMap(f.type(), f.dims(), f.strides(), f.lower(), f.upper(), f.inner(), f.pixels(),
                f.elementStrides(), interleave(f), f.swizzle(), l2(f), fill(f));
    }

    private static Interleave interleave(Sm90Fields fields) {
        return Interleave.values()[fields.interleave()];
    }

    private static L2Promotion l2(Sm90Fields fields) {
        return L2Promotion.values()[fields.l2Promotion()];
    }

    private static OobFill fill(Sm90Fields fields) {
        return OobFill.values()[fields.fill()];
    }

    /** What the bytes leave open, and each 32-bit word that the description does not give back. */
    private static List<String> unknowns(Sm90Fields fields, TensorMap map) {
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
        Sm90Fields again = new Sm90Fields(MemorySegment.ofArray(new byte[Sm90Layout.BYTES]));
        switch (map) {
            case TiledTensorMap tiled -> Sm90Writer.write(tiled, fields.address(), again.bytes());
            case Im2colTensorMap im2col -> Sm90Writer.write(im2col, fields.address(), again.bytes());
            case Im2colWideTensorMap wide -> throw new IllegalStateException("no wide map is decoded");
        }
        for (int at = 8; at < Sm90Layout.BYTES; at += 4) {
            int is = fields.word(at);
            int expected = again.word(at);
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
        Validation validation = map.validate(Target.SM_90);
        if (!validation.ok()) {
            unknowns.add("who made it: sm_90's driver refuses such a map; " + validation.report());
        }
        return unknowns;
    }
}
