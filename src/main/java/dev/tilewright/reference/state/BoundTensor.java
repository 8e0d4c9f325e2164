package dev.tilewright.reference.state;

import dev.tilewright.ptx.copy.LoadMode;
import dev.tilewright.reference.box.TensorBox;
import dev.tilewright.reference.box.TensorMemory;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.tensormap.Im2colTensorMap;
import dev.tilewright.tensormap.Im2colWideMode;
import dev.tilewright.tensormap.Im2colWideTensorMap;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TiledTensorMap;

/** A tensor map in one run: its box, ready to move, and the memory that rows of it lie in. */
public final class BoundTensor implements TensorSource {
    private final String title;
    private final TensorMemory memory;
    private final TensorBox box;
    private final TensorMap map;
    private final Fault problem;

    /** A map as it is now. @param title what messages call it */
    public BoundTensor(String title, TensorMap map, TensorMemory memory) {
        this.title = title;
        this.memory = memory;
        this.map = map;
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

    /** The box of a copy in a mode. @throws Fault if the map is not of that mode */
    public TensorBox box(LoadMode mode) {
        LoadMode own = switch (map) {
            case TiledTensorMap _ -> LoadMode.TILE;
            case Im2colTensorMap _ -> LoadMode.IM2COL;
            case Im2colWideTensorMap m -> m.wideMode() == Im2colWideMode.W ? LoadMode.IM2COL_W : LoadMode.IM2COL_W_128;
        };
        if (mode == own) {
            return box();
        }
        if (mode == LoadMode.GATHER4 && map instanceof TiledTensorMap tiled) {
            return rows(tiled);
        }
        throw new Fault(Kind.TENSOR_MAP, title + " is " + (own == LoadMode.TILE ? "tiled" : "for " + title(own))
                + ", and the copy is in " + title(mode)
                + " mode: make the map with " + switch (mode) {
                    case TILE, GATHER4 -> "cuTensorMapEncodeTiled";
                    case IM2COL -> "cuTensorMapEncodeIm2col";
                    case IM2COL_W, IM2COL_W_128 -> "cuTensorMapEncodeIm2colWide";
                });
    }

    private TensorBox rows(TiledTensorMap tiled) {
        try {
            return TensorBox.gather4(tiled);
        } catch (Fault f) {
            throw new Fault(f.kind(), title + ": " + f.getMessage());
        }
    }

    private static String title(LoadMode mode) {
        return switch (mode) {
            case TILE -> "tile";
            case GATHER4 -> "gather4";
            case IM2COL -> "im2col";
            case IM2COL_W -> "im2col::w";
            case IM2COL_W_128 -> "im2col::w::128";
        };
    }

    /** Everything that can be wrong with a copy but its shared address. @param box {@link #box(LoadMode)} */
    public void check(TensorBox box, int[] coordinates, int[] offsets, boolean store) {
        if (store && memory.home().isReadOnly()) {
            throw new Fault(Kind.TENSOR_MAP, title + " is stored to, and the memory at its address is read-only");
        }
        try {
            if (store) {
                box.checkStore(memory, coordinates);
            } else {
                box.checkLoad(memory, coordinates, offsets);
            }
        } catch (Fault f) {
            throw new Fault(f.kind(), title + ": " + f.getMessage());
        }
    }
}
