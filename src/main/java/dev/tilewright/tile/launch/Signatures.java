package dev.tilewright.tile.launch;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Multiplication;
import dev.tilewright.tile.Reduction;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Signature;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.Update;
import dev.tilewright.tile.lower.Paths;
import java.util.IdentityHashMap;
import java.util.Map;

/** Writes down what decides a kernel's bits. */
final class Signatures {
    private final StringBuilder facts = new StringBuilder();
    /** Everything, in one form: names of the kernel and of what it carries are not in it. */
    private final StringBuilder all = new StringBuilder();
    private final Map<TileNode.Loop, Integer> loops = new IdentityHashMap<>();
    private final MatrixArithmetic arithmetic;

    private Signatures(MatrixArithmetic arithmetic) {
        this.arithmetic = arithmetic;
    }

    /** @throws IllegalArgumentException if the target lacks the kernel's products */
    static Signature of(TileKernel kernel, Target target) {
        Paths.requireProducts(kernel, target);
        Signatures signatures = new Signatures(kernel.arithmetic(target));
        signatures.all.append(kernel.tensors()).append(kernel.scalars()).append(kernel.grid().steps())
                .append(kernel.grid().numbers()).append('\n');
        signatures.region(kernel.grid().body());
        signatures.facts.append(kernel.batch()).append('\n');
        return new Signature(signatures.facts + "elements: every operation rounded once, as in the kernel of SHA-256 "
                + new Signature(signatures.all.toString()).hash() + "\n");
    }

    private void region(Region region) {
        for (Region.Item item : region.items()) {
            switch (item) {
                case Tile tile -> {
                    all.append(tile).append(" = ").append(tile.node() instanceof TileNode.Result(var loop, int number)
                            ? "result " + number + " of loop " + loops.get(loop) : tile.node()).append('\n');
                    fact(tile);
                }
                // Where it is written decides no bit.
                case Region.Store(Tensor tensor, var axes, Tile tile, Update update, String _) -> all
                        .append("Store[tensor=").append(tensor).append(", axes=").append(axes).append(", tile=")
                        .append(tile).append(", update=").append(update).append("]\n");
                case Region.When when -> {
                    all.append("when ").append(when.condition()).append(" {\n");
                    region(when.then());
                    all.append("}\n");
                }
                case TileNode.Loop loop -> loop(loop);
            }
        }
    }

    private void loop(TileNode.Loop loop) {
        int number = loops.size();
        loops.put(loop, number);
        all.append("loop ").append(number).append(' ').append(loop.turn()).append(' ').append(loop.turns())
                .append(" parts ").append(loop.parts()).append(' ').append(loop.initial()).append(loop.carried())
                .append(" {\n");
        if (loop.parts() > 1) {
            facts.append("loop over ").append(loop.turn().name().replaceFirst("step_", "")).append(": split in ")
                    .append(loop.parts()).append(" parts, added in ascending order\n");
        }
        region(loop.body());
        all.append("} next ").append(loop.next()).append('\n');
    }

    private void fact(Tile tile) {
        switch (tile.node()) {
            case TileNode.Product(Tile _, Tile a, Tile b) -> facts.append(tile.label()).append(": product of ")
                    .append(a.type()).append(" and ").append(b.type()).append(" in ").append(tile.type())
                    .append(": k ascending in one accumulator, ").append(how(a.type())).append('\n');
            case TileNode.Reduce(Tile of, int axis, Reduction reduction) -> facts.append(tile.label()).append(": ")
                    .append(reduction).append(" of ").append(of.type()).append(" along axis ").append(axis)
                    .append(": ").append(Reduction.ACCUMULATORS).append(" accumulators, each ascending, then in "
                            + "halves\n");
            case TileNode.Scan(Tile of, int axis, Reduction reduction) -> facts.append(tile.label())
                    .append(": scan by ").append(reduction).append(" of ").append(of.type()).append(" along axis ")
                    .append(axis).append(": doubling distances in runs of ").append(Reduction.ACCUMULATORS)
                    .append('\n');
            default -> { }
        }
    }

    private String how(ValueType operand) {
        return switch (operand) {
            case F32 -> "a fused multiply-add each";
            case F64, I8, U8 -> "the same on all targets";
            case E4M3, E5M2 -> by(arithmetic) + ", " + Multiplication.depth(operand) + " an instruction";
            default -> (arithmetic == MatrixArithmetic.AMPERE ? by(arithmetic) : "wgmma or mma.sync of sm_90")
                    + ", " + Multiplication.depth(operand) + " an instruction";
        };
    }

    private static String by(MatrixArithmetic arithmetic) {
        return switch (arithmetic) {
            case HOPPER_WGMMA -> "wgmma of sm_90a";
            case HOPPER_MMA_SYNC -> "mma.sync of sm_90";
            case AMPERE -> "mma.sync of sm_80 to sm_89";
        };
    }
}
