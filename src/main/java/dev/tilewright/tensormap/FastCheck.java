package dev.tilewright.tensormap;

import dev.tilewright.layout.TensorDataType;
import dev.tilewright.tensormap.rules.Limits;
import dev.tilewright.tensormap.rules.TensorMapRules;
import java.util.List;

/**
 * Whether a description and an address break no rule of sm_90: the errors of {@link TensorMapRules} in one pass of
 * arithmetic that allocates nothing, for encoding at the driver's speed. It only says yes or no; the rules explain.
 * Tests hold the two equal, on recorded calls and on random ones.
 */
final class FastCheck {

    private FastCheck() { }

    static boolean accepts(TiledTensorMap map, long address) {
        if (!common(map.type(), map.dims(), map.strides(), map.elementStrides(), map.interleave(), map.fill(), address)
                || map.swizzle().usesLargeAtoms()) {
            return false;
        }
        List<Integer> box = map.box();
        List<Integer> steps = map.elementStrides();
        long elements = 1;
        boolean inRange = true;
        for (int d = 0; d < box.size(); d++) {
            int extent = box.get(d);
            inRange &= extent >= 1 && extent <= 256;
            elements *= extent / steps.get(d);
        }
        return inRange && row(box.get(0) * map.type().bytes(), map.interleave(), map.swizzle().span())
                && elements * map.type().bytes() <= Limits.BOX_BYTES;
    }

    static boolean accepts(Im2colTensorMap map, long address) {
        int channels = map.channels();
        int pixels = map.pixels();
        if (!common(map.type(), map.dims(), map.strides(), map.elementStrides(), map.interleave(), map.fill(), address)
                || map.swizzle().usesLargeAtoms() || channels < 1 || channels > 256 || pixels < 1 || pixels > 1024
                || !row(channels * map.type().bytes(), map.interleave(), map.swizzle().span())
                || (long) pixels * channels * map.type().bytes() > Limits.BOX_BYTES) {
            return false;
        }
        int end = Limits.cornerEnd(map.rank());
        int first = map.interleave() == Interleave.NONE ? 1 : 0;
        for (int s = 0; s < map.lower().size(); s++) {
            int lower = map.lower().get(s);
            int upper = map.upper().get(s);
            if (lower < -end || lower >= end || upper < -end || upper >= end
                    || Limits.isEmpty(map.dims().get(s + first), lower, upper)) {
                return false;
            }
        }
        return true;
    }

    private static boolean common(TensorDataType type, List<Long> dims, List<Long> strides, List<Integer> steps,
            Interleave interleave, OobFill fill, long address) {
        int align = interleave == Interleave.B32 ? 31 : 15;
        if ((address & align) != 0 || address >>> 57 != 0
                || interleave != Interleave.NONE && dims.size() < 3
                || fill == OobFill.NAN && !type.isFloat()) {
            return false;
        }
        for (int i = 0; i < strides.size(); i++) {
            long stride = strides.get(i);
            if ((stride & align) != 0 || stride < 0 || stride >= Limits.STRIDE_END) {
                return false;
            }
        }
        for (int d = 0; d < dims.size(); d++) {
            long dim = dims.get(d);
            int step = steps.get(d);
            if (dim < 1 || dim > Limits.DIM || step < 1 || step > 8) {
                return false;
            }
        }
        return true;
    }

    private static boolean row(int bytes, Interleave interleave, int span) {
        return (bytes & 15) == 0 && (interleave != Interleave.NONE || span == 0 || bytes <= span);
    }
}
