package dev.tilewright.verify.draw;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.mma.MmaInstruction;
import dev.tilewright.ptx.mma.MmaSync;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.ptx.mma.Wgmma;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Products of tensor cores, of all types and shapes: see {@link ProductKernels}. */
final class ProductGenerator {
    private static final Deck DECK = new Deck(Forms.PRODUCTS.size());
    private static final int TURNS = 3;
    private static final int BLOCKS = 2;

    private ProductGenerator() { }

    static List<Integer> first(long seed, long number) {
        return List.of(DECK.at(seed, number));
    }

    static Drawn make(DrawnChoices choices) {
        MmaInstruction form = Forms.PRODUCTS.get(choices.below(Forms.PRODUCTS.size()));
        List<MmaInstruction> forms = List.of(form);
        int turns = form instanceof MmaSync ? choices.between(1, TURNS) : choices.between(1, 2);
        int blocks = form instanceof MmaSync ? choices.between(1, BLOCKS) : 1;
        TileProgram program = form instanceof Wgmma w
                ? ProductKernels.ofWarpgroups(List.of(w), turns, blocks, choices.seed())
                : ProductKernels.ofWarps(forms, turns, blocks);
        MmaTypes types = form instanceof Wgmma w ? w.types() : ((MmaSync) form).types();
        int bytes = (int) ProductKernels.bytes(forms, turns, blocks);
        return new Drawn(form.opcode(), program, launch -> {
            ByteBuffer pool = ByteBuffer.allocate(4 * ProductKernels.POOL).order(ByteOrder.LITTLE_ENDIAN);
            pool.asIntBuffer().put(ProductKernels.pool(types, launch.seed()));
            return new DrawnRun(new Launch(program, blocks, List.of(new Argument.Buffer(0), new Argument.Buffer(1))),
                    List.of(pool.array(), DrawnBytes.poison(bytes)));
        });
    }
}
