package dev.tilewright.reference.compile;

import dev.tilewright.layout.MatrixMajor;
import dev.tilewright.layout.MmaFragment;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.mma.MmaInstruction;
import dev.tilewright.ptx.mma.MmaSync;
import dev.tilewright.ptx.mma.MmaType;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.ptx.mma.Movmatrix;
import dev.tilewright.ptx.mma.Wgmma;
import dev.tilewright.ptx.mma.WgmmaCommitGroup;
import dev.tilewright.ptx.mma.WgmmaFence;
import dev.tilewright.ptx.mma.WgmmaFloat;
import dev.tilewright.ptx.mma.WgmmaInteger;
import dev.tilewright.ptx.mma.WgmmaWaitGroup;
import dev.tilewright.reference.op.MatrixOperand;
import dev.tilewright.reference.op.MmaOps;
import dev.tilewright.reference.op.Op;
import dev.tilewright.reference.op.RegisterMatrix;
import dev.tilewright.reference.op.SharedMatrix;
import dev.tilewright.reference.tensor.TensorCore;
import dev.tilewright.reference.tensor.TensorProduct;

/** Turns the instructions of tensor cores into operations. */
final class MmaCompiler {
    private static final int COLUMNS = 8;

    private MmaCompiler() { }

    static Op compile(MmaInstruction form, GivenOperands o) {
        return switch (form) {
            case MmaSync f -> sync(f, o);
            case Movmatrix _ -> new MmaOps.Transpose(o.site(), o.registers("a"), o.registers("d"));
            case WgmmaFloat f -> wgmma(f, false, new Reading(f.transposedA(), f.transposedB(), f.negatedA(),
                    f.negatedB()), o);
            case WgmmaInteger f -> wgmma(f, f.satfinite(), new Reading(false, false, false, false), o);
            case WgmmaFence _ -> new MmaOps.Group(o.site(), MmaOps.GroupStep.FENCE, 0);
            case WgmmaCommitGroup _ -> new MmaOps.Group(o.site(), MmaOps.GroupStep.COMMIT, 0);
            case WgmmaWaitGroup f -> new MmaOps.Group(o.site(), MmaOps.GroupStep.WAIT, f.pending());
        };
    }

    private static Op sync(MmaSync f, GivenOperands o) {
        int m = f.shape().m();
        int n = f.shape().n();
        int k = f.shape().k();
        MmaTypes types = f.types();
        MmaFragment sums = MmaFragment.accumulator(m, n, types.d().bits());
        return new MmaOps.Warp(o.site(),
                TensorProduct.mma(type(types.a()), type(types.b()), type(types.d()), f.satfinite(), TensorCore.HOPPER),
                new MmaOps.Sizes(m, n, k), matrix(o, "a", MmaFragment.a(m, k, types.a().bits())),
                matrix(o, "b", MmaFragment.b(k, COLUMNS, types.b().bits())), matrix(o, "c", sums), matrix(o, "d",
                        sums));
    }

    /** How a warpgroup's product takes A and B. */
    private record Reading(boolean transposedA, boolean transposedB, boolean negatedA, boolean negatedB) { }

    private static Op wgmma(Wgmma f, boolean saturates, Reading reading, GivenOperands o) {
        MmaTypes types = f.types();
        int bits = types.a().bits();
        MatrixOperand a = f.registersA() ? matrix(o, "a", MmaFragment.a(f.m(), f.k(), bits))
                : new SharedMatrix(o.number("a_desc"), f.m(), f.k(), bits / 8, major(reading.transposedA));
        SharedMatrix b = new SharedMatrix(o.number("b_desc"), f.n(), f.k(), bits / 8, major(reading.transposedB));
        return new MmaOps.Warpgroup(o.site(), o.site().copyReads(),
                TensorProduct.wgmma(type(types.a()), type(types.b()), type(types.d()), saturates),
                new MmaOps.Sizes(f.m(), f.n(), f.k()), a, b,
                matrix(o, "d", MmaFragment.accumulator(f.m(), f.n(), types.d().bits())), o.number("scale_d"),
                reading.negatedA ? 1L << bits - 1 : 0, reading.negatedB ? 1L << bits - 1 : 0);
    }

    private static MatrixMajor major(boolean transposed) {
        return transposed ? MatrixMajor.MN : MatrixMajor.K;
    }

    private static RegisterMatrix matrix(GivenOperands o, String name, MmaFragment fragment) {
        return new RegisterMatrix(fragment, o.register(name), o.firstSlot(name), o.registers(name));
    }

    private static ValueType type(MmaType type) {
        return switch (type) {
            case E4M3 -> ValueType.E4M3;
            case E5M2 -> ValueType.E5M2;
            case F16 -> ValueType.F16;
            case BF16 -> ValueType.BF16;
            case TF32 -> ValueType.TF32;
            case F32 -> ValueType.F32;
            case F64 -> ValueType.F64;
            case S8 -> ValueType.I8;
            case U8 -> ValueType.U8;
            case S32 -> ValueType.I32;
        };
    }
}
