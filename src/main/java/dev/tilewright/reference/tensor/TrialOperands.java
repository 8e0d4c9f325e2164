package dev.tilewright.reference.tensor;

import dev.tilewright.layout.MatrixMajor;
import dev.tilewright.layout.MatrixTile;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.expression.Register;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.mma.MmaInstruction;
import dev.tilewright.ptx.mma.MmaType;
import dev.tilewright.ptx.mma.Wgmma;
import dev.tilewright.ptx.mma.WgmmaFloat;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;

/**
 * The operands that tensor cores are tried on: numbers of the operands' types, and tiles in shared memory. A seed gives
 * the same bits for ever: recordings name operands by their seed.
 */
public final class TrialOperands {
    /** How numbers are drawn: any bits; or exponents near each other, closer or farther, with special ones. */
    public static final int SORTS = 8;
    private static final int FIRST_WITH_SPECIAL = 6;
    private static final double[] SPECIAL = {0, -0.0, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.NaN,
        Double.MIN_VALUE, -Double.MIN_VALUE, Double.MAX_VALUE};

    private TrialOperands() { }

    /** Threads that perform an instruction together. */
    public static int threads(MmaInstruction form) {
        return form instanceof Wgmma ? 128 : 32;
    }

    /** An instruction's operand of a name, which it must have. */
    public static Operand operand(MmaInstruction form, String name) {
        return form.inputs().stream().filter(o -> o.name().equals(name)).findFirst().orElseThrow();
    }

    /** Bytes of an operand in registers, of all threads together. */
    public static int bytes(Operand o, MmaInstruction form) {
        return threads(form) * o.count() * Register.typeOf(o).bytes();
    }

    /** 32 bits of numbers of a type, the first in the lowest bits. @param sort below {@link #SORTS} */
    public static int word(MmaType type, SplittableRandom random, int sort) {
        int word = 0;
        for (int at = 0; at < 32; at += type.bits()) {
            word |= number(type, random, sort) << at;
        }
        return word;
    }

    /** The bits of an f64. @param sort below {@link #SORTS} */
    public static long wide(SplittableRandom random, int sort) {
        if (sort < 2) {
            return random.nextLong();
        }
        return Double.doubleToRawLongBits(random.nextInt(40) == 0 ? SPECIAL[random.nextInt(SPECIAL.length)]
                : random.nextDouble(-2, 2) * Math.scalb(1.0, random.nextInt(-sort, sort)));
    }

    private static int number(MmaType type, SplittableRandom random, int sort) {
        int mask = -1 >>> Integer.SIZE - type.bits();
        int any = random.nextInt() & mask;
        if (type.isInteger() || sort == 0) {
            return any;
        }
        int fraction = type.bits() - 1 - OperandFormat.valueOf(type.name()).exponentBits();
        int exponents = (mask >>> 1) >>> fraction << fraction;
        int middle = exponents >>> fraction + 1;
        int spread = Math.max(1, Math.min(sort * sort, middle - 1));
        int exponent = middle + random.nextInt(-spread, spread + 1);
        int made = any & ~exponents | exponent << fraction & exponents;
        if (sort < FIRST_WITH_SPECIAL || random.nextInt(24) != 0) {
            return made;
        }
        return switch (random.nextInt(4)) {
            case 0 -> any & ~(mask >>> 1) | exponents;
            case 1 -> any | exponents;
            case 2 -> any & ~exponents;
            default -> any & ~(mask >>> 1);
        };
    }

    /**
     * The descriptor of an operand within a tile that starts with shared memory and is larger than what the instruction
     * reads; what it reaches is at most 40 KiB.
     *
     * @param start one of this many starts within the tile, by its number from 0
     */
    public static long descriptor(Wgmma form, boolean ofA, Swizzle swizzle, IntUnaryOperator start) {
        int bytes = form.types().a().bits() / 8;
        boolean transposed = form instanceof WgmmaFloat f && (ofA ? f.transposedA() : f.transposedB());
        int mn = ofA ? form.m() : form.n();
        if (transposed) {
            // A tile of whole spans, of which the instruction may take only a part.
            int elements = Math.max(8, swizzle.span() / bytes);
            MatrixTile tile = new MatrixTile(Math.ceilDiv(mn, elements) * elements, 32, bytes, MatrixMajor.MN, swizzle);
            return tile.descriptor(0, 0, 16 * start.applyAsInt(2)).encode();
        }
        int k = Math.max(32, swizzle.span()) / bytes;
        MatrixTile tile = new MatrixTile(mn, k, bytes, MatrixMajor.K, swizzle);
        return tile.descriptor(0, 0, 32 / bytes * start.applyAsInt(k * bytes / 32)).encode();
    }
}
