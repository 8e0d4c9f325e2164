package dev.tilewright.tensormap;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.sm90.Sm90Layout;
import java.lang.foreign.MemorySegment;

/** The encoder in Java, for the one layout that is known: sm_90's ({@link Sm90Layout}). */
final class JavaTensorMapEncoder implements TensorMapEncoder {

    static final JavaTensorMapEncoder INSTANCE = new JavaTensorMapEncoder();

    private JavaTensorMapEncoder() { }

    @Override
    public String name() {
        return "pure Java";
    }

    @Override
    public boolean supports(Target target) {
        return target.major() == 9;
    }

    @Override
    public void encode(EncodeCall call, Target target, MemorySegment destination) {
        Validation.of(call, target).orThrow();
        requireKnown(target);
        encode(TensorMap.of(call), call.address(), target, destination);
    }

    @Override
    public void encode(TensorMap map, long address, Target target, MemorySegment destination) {
        if (destination.byteSize() < BYTES) {
            throw new IllegalArgumentException(
                    "a tensor map takes 128 bytes, the destination has " + destination.byteSize());
        }
        if (target.major() == 9) {
            if (map instanceof TiledTensorMap tiled && FastCheck.accepts(tiled, address)) {
                Sm90Writer.write(tiled, address, destination);
                return;
            }
            if (map instanceof Im2colTensorMap im2col && FastCheck.accepts(im2col, address)) {
                Sm90Writer.write(im2col, address, destination);
                return;
            }
        }
        Validation.of(map.at(address), target).orThrow();
        requireKnown(target);
        throw new IllegalStateException("no rule explains why this map is refused: " + map);
    }

    private void requireKnown(Target target) {
        if (!supports(target)) {
            throw new MissingRequirementException("how " + target
                    + " lays out a tensor map is not known: only that of sm_90"
                    + " is; encode with the driver on such a GPU");
        }
    }
}
