package dev.tilewright.tensormap;

import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.call.EncodeCall;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** Asks two encoders and insists that they agree: about accepting, and about every byte. */
record ComparingTensorMapEncoder(TensorMapEncoder first, TensorMapEncoder second) implements TensorMapEncoder {
    @Override
    public String name() {
        return first.name() + " compared with " + second.name();
    }

    @Override
    public boolean supports(Target target) {
        return first.supports(target) && second.supports(target);
    }

    @Override
    public void encode(EncodeCall call, Target target, MemorySegment destination) {
        byte[] one = new byte[BYTES];
        byte[] two = new byte[BYTES];
        TensorMapException refusedOne = refusal(first, call, target, one);
        TensorMapException refusedTwo = refusal(second, call, target, two);
        if (refusedOne != null && refusedTwo != null) {
            throw refusedOne;
        }
        if (refusedOne != null || refusedTwo != null) {
            throw refusedOne != null ? TensorMapMismatchException.refused(first.name(), second.name(), call, refusedOne)
                    : TensorMapMismatchException.refused(second.name(), first.name(), call, refusedTwo);
        }
        int differs = Arrays.mismatch(one, two);
        if (differs >= 0) {
            throw TensorMapMismatchException.bytes(first.name(), one, second.name(), two, differs, call);
        }
        MemorySegment.copy(one, 0, destination, ValueLayout.JAVA_BYTE, 0, BYTES);
    }

    private static TensorMapException refusal(TensorMapEncoder encoder, EncodeCall call, Target target, byte[] to) {
        try {
            encoder.encode(call, target, MemorySegment.ofArray(to));
            return null;
        } catch (TensorMapException e) {
            return e;
        }
    }
}
