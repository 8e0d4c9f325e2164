package dev.tilewright.verify.draw;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Body;
import dev.tilewright.program.TensorLoadStep;
import dev.tilewright.program.TensorReduceStep;
import dev.tilewright.program.TensorStoreStep;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.tensormap.Im2colTensorMap;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A tensor map of {@link BatonPrograms}, and what is done through it.
 *
 * @param worked whether its tensor is in what is worked on
 * @param offset where the tensor begins there
 * @param inMemory whether a copy of the map in global memory is used
 */
record BatonMap(Parameter.TensorMap parameter, DrawnBox box, DrawnBox.Use use, AtomicOp op, boolean worked, int offset,
        boolean inMemory) {
    /** The most bytes of a tensor. */
    private static final int TENSOR = 24 * 1024 + 1024;

    /** @param stores whether it has to be one that is stored through @param memory bytes that the tensor may lie in */
    static BatonMap draw(DrawnChoices choices, int number, boolean stores, boolean faults, int memory) {
        DrawnBox.Use use = stores ? DrawnBox.Use.STORE : choices.of(DrawnBox.Use.values());
        AtomicOp op = choices.one(List.of(AtomicOp.ADD, AtomicOp.MAX, AtomicOp.XOR));
        boolean im2col = choices.oneIn(3);
        DrawnBox box = DrawnBox.draw(choices, im2col ? choices.between(3, 5) : choices.between(1, 3), im2col, use,
                use == DrawnBox.Use.REDUCE ? Optional.of(op) : Optional.empty());
        return new BatonMap(new Parameter.TensorMap("map_" + number, box.map().rank()), box, use, op,
                use != DrawnBox.Use.LOAD || choices.flag(), offset(choices, memory),
                // Where the kernel faults, what the other blocks do with their copies of the map is not ordered.
                number == 0 && choices.oneIn(3) && !faults);
    }

    /** Rows of words, of which one that begins this many bytes behind the tensor's start is stored. */
    static BatonMap overwriting(DrawnChoices choices, int behind, int memory) {
        int words = 4 << 2 * choices.below(4);
        TiledTensorMap map = TiledTensorMap.denseInnermostFirst(TensorDataType.UINT32, List.of(1024L), List.of(words),
                Swizzle.NONE);
        DrawnBox box = new DrawnBox(map, new int[] {behind / 4}, new int[0]);
        return new BatonMap(new Parameter.TensorMap("map_0", 1), box, DrawnBox.Use.STORE, AtomicOp.ADD, true,
                offset(choices, memory), false);
    }

    private static int offset(DrawnChoices choices, int memory) {
        return 256 * choices.below((memory - TENSOR) / 256);
    }

    /** What one copy of the box moves. */
    int bytes() {
        return box.box().transactionBytes(box.offsets());
    }

    /**
     * Starts the copy of the box.
     *
     * @param ownMap where the block has its copy of the map
     * @param full the barrier of a load
     */
    void copy(Body one, Address.Global ownMap, Address.Shared shared, Address.Barrier full) {
        boolean im2col = box.map() instanceof Im2colTensorMap;
        MapSource map = inMemory ? new MapSource.InMemory(ownMap, box.map().rank()) : parameter;
        List<Expr> coordinates = numbers(box.coordinates());
        switch (use) {
            case LOAD -> {
                TensorLoadStep load = one.tensorLoad(shared, map, coordinates, full);
                if (im2col) {
                    load.im2col(numbers(box.offsets()));
                }
            }
            case STORE -> {
                TensorStoreStep store = one.tensorStore(map, coordinates, shared);
                if (im2col) {
                    store.im2col();
                }
            }
            case REDUCE -> {
                TensorReduceStep reduce = one.tensorReduce(op, map, coordinates, shared);
                if (im2col) {
                    reduce.im2col();
                }
            }
        }
    }

    private static List<Expr> numbers(int[] all) {
        return Arrays.stream(all).mapToObj(Expr::of).toList();
    }
}
