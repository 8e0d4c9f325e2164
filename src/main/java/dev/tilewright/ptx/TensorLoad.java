package dev.tilewright.ptx;

import java.util.List;

/**
 * {@code cp.async.bulk.tensor (global to shared)}: one thread starts a TMA copy of one box of a tensor into shared memory; an mbarrier counts the bytes that land.
 *
 * @param rank dimensions of the tensor, 1 to 5; as many coordinates follow
 */
public record TensorLoad(int rank) implements PtxInstruction {

    public TensorLoad {
        Ptx.requireRank(rank);
    }

    @Override
    public String opcode() {
        return "cp.async.bulk.tensor." + rank + "d.shared::cluster.global.mbarrier::complete_tx::bytes";
    }

    @Override
    public List<Operand> operands() {
        return Ptx.concat(Ptx.concat(List.of(Ptx.SHARED_DST), Ptx.tensorOperands(rank)), List.of(Ptx.MBARRIER));
    }

    @Override
    public String operandText() {
        return "[%dst%], " + Ptx.tensorText(rank) + ", [%mbar%]";
    }

    @Override
    public PtxVersion since() {
        return Ptx.V8_0;
    }

    @Override
    public Target minimumTarget() {
        return Target.SM_90;
    }

    @Override
    public String summary() {
        return "one thread starts a TMA copy of one box of a tensor into shared memory; an mbarrier counts the bytes that land";
    }

    @Override
    public String functionName() {
        return "tensor_load_" + rank + "d";
    }
}
