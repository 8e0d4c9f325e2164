package dev.tilewright.reference.state;

import dev.tilewright.reference.box.TensorBox;
import dev.tilewright.reference.box.TensorMemory;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TiledTensorMap;

/** A tensor map in one run: its box, ready to move, and the memory that rows of it lie in. */
public final class BoundTensor implements TensorSource {
    private static final int[] NO_OFFSETS = {};

    private final String title;
    private final TensorMemory memory;
    private final TensorBox box;
    private final boolean tiled;
    private final Fault problem;
    private final boolean counting;
    private int copiesUnderWay;

    /** A map that no thread changes. @param title what messages call it */
    public BoundTensor(String title, TensorMap map, TensorMemory memory) {
        this(title, map, memory, false);
    }

    /** @param counting whether to know how many copies through the map are under way: for a map that one block uses */
    public BoundTensor(String title, TensorMap map, TensorMemory memory, boolean counting) {
        this.title = title;
        this.counting = counting;
        this.memory = memory;
        this.tiled = map instanceof TiledTensorMap;
        TensorBox made = null;
        Fault notMade = null;
        try {
            made = TensorBox.of(map);
        } catch (Fault f) {
            notMade = f;
        }
        this.box = made;
        this.problem = notMade;
    }

    /** A map that every thread of every block may use at any time. */
    @Override
    public BoundTensor of(ThreadState thread) {
        return this;
    }

    public TensorMemory memory() {
        return memory;
    }

    /** The box; a map that cannot be used is reported by the first step that uses it. */
    public TensorBox box() {
        if (problem != null) {
            throw new Fault(problem.kind(), title + ": " + problem.getMessage());
        }
        return box;
    }

    /** The box of a copy in im2col mode, or in tile mode. @throws Fault if the map is of the other */
    public TensorBox box(boolean im2col) {
        if (im2col == tiled) {
            throw new Fault(Kind.TENSOR_MAP, title + " is " + (tiled ? "tiled" : "for im2col") + ", and the copy is in "
                    + (im2col ? "im2col" : "tile") + " mode: make the map with cuTensorMapEncode" + (im2col ? "Im2col" : "Tiled"));
        }
        return box();
    }

    /** The same copy, under way from now until it is carried out. */
    public Transfer started(Transfer copy) {
        if (!counting) {
            return copy;
        }
        copiesUnderWay++;
        return (shared, address) -> {
            copiesUnderWay--;
            copy.carryOut(shared, address);
        };
    }

    int copiesUnderWay() {
        return copiesUnderWay;
    }

    public void check(int[] coordinates, boolean store) {
        check(coordinates, NO_OFFSETS, store);
    }

    /** Everything that can be wrong with a copy but its shared address. */
    public void check(int[] coordinates, int[] offsets, boolean store) {
        if (store && memory.home().isReadOnly()) {
            throw new Fault(Kind.TENSOR_MAP, title + " is stored to, and the memory at its address is read-only");
        }
        try {
            if (store) {
                box().checkStore(memory, coordinates);
            } else {
                box().checkLoad(memory, coordinates, offsets);
            }
        } catch (Fault f) {
            throw new Fault(f.kind(), title + ": " + f.getMessage());
        }
    }
}
