package dev.tilewright.hazard.explore;

import dev.tilewright.hazard.explore.Copy.Part;
import dev.tilewright.hazard.explore.Copy.Place;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.ptx.DataType;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.ArrayList;
import java.util.List;

/**
 * A box of a tensor that a copy moves: which of its bytes lie where in the tensor, and where in shared memory. Bytes
 * are numbered as they lie in shared memory from the copy's address on: rows one after the other, each as long as the
 * swizzle's span, and within 128 bytes moved by what the address says (PTX ISA, "Swizzling modes").
 */
final class Box {
    /** Of a box's address in shared memory. */
    static final int ALIGNMENT = 128;

    private final TiledTensorMap map;
    private final int space;
    private final long start;
    private final long[] corner;
    private final int pitch;
    private final long address;

    private Box(TiledTensorMap map, int space, long start, long[] corner, long address) {
        this.map = map;
        this.space = space;
        this.start = start;
        this.corner = corner;
        this.address = address;
        int span = map.swizzle().span();
        this.pitch = span == 0 ? (map.rowBytes() + 15) / 16 * 16 : span;
    }

    /** The box that a thread's instruction moves. @param address in shared memory */
    static Box of(World w, ThreadState t, Operation.Issue issue, long address) {
        if (!(w.launched.input(issue, "map") instanceof Input.Map(Parameter.TensorMap parameter))) {
            throw new Unsupported("a tensor map in memory: pass the map as a parameter of the kernel");
        }
        Argument.Tensor argument = w.launched.tensors.get(parameter);
        if (!(argument.map() instanceof TiledTensorMap map) || map.interleave() != Interleave.NONE
                || map.fill() != OobFill.ZERO || map.elementStrides().stream().anyMatch(step -> step != 1)) {
            throw new Unsupported("the tensor map '" + parameter.name() + "': only tiled maps without interleave,"
                    + " element strides and NaN fill are known");
        }
        long[] corner = new long[map.dims().size()];
        for (int d = 0; d < corner.length; d++) {
            corner[d] = (int) new Eval(w, t).of(issue, "c" + d);
        }
        if (corner[0] * map.type().bytes() % 16 != 0) {
            throw new Ending("a box that begins at no multiple of 16 bytes");
        }
        return new Box(map, argument.buffer(), argument.offset(), corner, address);
    }

    /** All of the box: bytes outside the tensor count too. */
    int bytes() {
        return map.rowBytes() * map.boxRows();
    }

    /** What reductions work on. */
    DataType reduced() {
        return switch (map.type().elementType()) {
            case U32 -> DataType.U32;
            case I32 -> DataType.S32;
            case U64 -> DataType.U64;
            default -> throw new Unsupported("reductions of " + map.type());
        };
    }

    /** Where a byte of a row lies, counted from the copy's address. */
    private int at(int row, int b) {
        return (int) (map.swizzle().apply(address + (long) row * pitch + b) - address);
    }

    List<Part> inShared(Place place) {
        boolean[] filled = new boolean[pitch * map.boxRows()];
        for (int row = 0; row < map.boxRows(); row++) {
            for (int b = 0; b < map.rowBytes(); b++) {
                filled[at(row, b)] = true;
            }
        }
        List<Part> parts = new ArrayList<>();
        for (int from = 0; from < filled.length; from++) {
            int first = from;
            while (from < filled.length && filled[from]) {
                from++;
            }
            if (from > first) {
                int[] of = new int[from - first];
                for (int i = 0; i < of.length; i++) {
                    of[i] = first + i;
                }
                parts.add(new Part(new Place(place.space(), place.offset() + first), of.length, of));
            }
        }
        return parts;
    }

    /** Each row's bytes within the tensor. */
    List<Part> inTensor() {
        List<Part> parts = new ArrayList<>();
        int each = map.type().bytes();
        int first = (int) Math.max(0, -corner[0]);
        int last = (int) Math.min(map.box().getFirst(), map.dims().getFirst() - corner[0]);
        for (int row = 0; row < map.boxRows() && first < last; row++) {
            int rest = row;
            long from = start + (corner[0] + first) * each;
            boolean isInside = true;
            for (int d = 1; d < corner.length; d++) {
                long place = corner[d] + rest % map.box().get(d);
                rest /= map.box().get(d);
                isInside &= place >= 0 && place < map.dims().get(d);
                from += place * map.strides().get(d - 1);
            }
            if (isInside) {
                int[] of = new int[(last - first) * each];
                for (int i = 0; i < of.length; i++) {
                    of[i] = at(row, first * each + i);
                }
                parts.add(new Part(new Place(space, from), of.length, of));
            }
        }
        return parts;
    }
}
