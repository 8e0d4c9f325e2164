package dev.tilewright.ptx;

import java.util.List;

/**
 * {@code cp.async.bulk.tensor (shared to global)}: one thread starts a TMA copy of one box from shared memory into a tensor, tracked by its bulk group.
 *
 * @param rank dimensions of the tensor, 1 to 5; as many coordinates follow
 */
public record TensorStore(int rank) implements PtxInstruction {

    public TensorStore {
        Ptx.requireRank(rank);
    }

    @Override
    public String opcode() {
        return "cp.async.bulk.tensor." + rank + "d.global.shared::cta.bulk_group";
    }

    @Override
    public List<Operand> operands() {
        return Ptx.concat(Ptx.tensorOperands(rank), List.of(Ptx.SHARED_SRC));
    }

    @Override
    public String operandText() {
        return Ptx.tensorText(rank) + ", [%src%]";
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
        return "one thread starts a TMA copy of one box from shared memory into a tensor, tracked by its bulk group";
    }

    @Override
    public String functionName() {
        return "tensor_store_" + rank + "d";
    }
}
