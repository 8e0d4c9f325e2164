package dev.tilewright.cli.tensormap;

import dev.tilewright.layout.TensorDataType;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** The byte strides of a tensor of which none are given: its rows follow one another. */
final class DenseStrides {
    private static final BigInteger LARGEST = BigInteger.valueOf(Long.MAX_VALUE);

    private DenseStrides() { }

    /**
     * @param dataType an integer of cuda.h. An element of a type that is not there counts as 16 bytes, so that the type
     *     is complained of and not the strides
     * @param interleave with which dimension 0 counts slices of 16 or 32 bytes
     * @param dims any integers, innermost first
     */
    static List<Long> of(long dataType, long interleave, List<Long> dims) {
        int bits = interleave == 1 ? 128 : interleave == 2 ? 256 : bits(dataType);
        List<Long> strides = new ArrayList<>();
        BigInteger inside = BigInteger.valueOf(bits);
        for (long dim : dims.subList(0, Math.max(0, dims.size() - 1))) {
            inside = inside.multiply(BigInteger.valueOf(dim));
            BigInteger bytes = inside.add(BigInteger.valueOf(7)).shiftRight(3);
            strides.add(bytes.bitLength() < 64 ? bytes.longValue()
                    : bytes.signum() < 0 ? Long.MIN_VALUE : LARGEST.longValue());
        }
        return strides;
    }

    private static int bits(long dataType) {
        if (dataType >= 0 && dataType < TensorDataType.values().length) {
            return 8 * TensorDataType.ofCudaValue((int) dataType).bytes();
        }
        return dataType == 13 || dataType == 14 ? 4 : dataType == 15 ? 6 : 128;
    }
}
