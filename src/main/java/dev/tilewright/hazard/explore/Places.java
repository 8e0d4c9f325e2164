package dev.tilewright.hazard.explore;

import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Input;

/** Where the addresses of a thread's instruction point. */
final class Places {
    /** Addresses in shared memory as numbers: the block's place in its cluster, then the byte. */
    private static final int BLOCK_SHIFT = 20;

    private final World w;
    private final ThreadState t;
    private final Eval eval;

    Places(World w, ThreadState t) {
        this.w = w;
        this.t = t;
        this.eval = new Eval(w, t);
    }

    Copy.Place of(Operation.Instruction i, String operand) {
        return of(w.launched.input(i, operand));
    }

    Copy.Place of(Input input) {
        return switch (input) {
            case Input.Place(Address address) -> of(address);
            case Input.Number(var value) -> ofNumber(eval.of(value));
            default -> throw new Unsupported("an address like " + input);
        };
    }

    Copy.Place of(Address address) {
        return switch (address) {
            case Address.Global(var pointer, var offset) -> {
                Copy.Place start = w.launched.buffers.get(pointer);
                yield new Copy.Place(start.space(), start.offset() + eval.of(offset));
            }
            case Address.Shared(var buffer, var offset) -> {
                long at = eval.of(offset);
                if (at < 0 || at >= buffer.bytes()) {
                    throw new Ending("outside the shared buffer");
                }
                yield own(w.launched.offsets.get(buffer.name()) + at);
            }
            case Address.Barrier b -> own(w.launched.offsets.get(b.barriers().name()) + 8 * eval.of(b.index()));
            default -> throw new Unsupported(address.title());
        };
    }

    /** Refuses bytes that are not all in one region of shared memory. */
    Copy.Place whole(Copy.Place place, int bytes) {
        if (place.space() >= w.launched.cells.buffers && w.launched.program.shared().regions().stream().noneMatch(r -> {
            long from = place.offset() - w.launched.offsets.get(r.name());
            return from >= 0 && from + bytes <= r.bytes();
        })) {
            throw new Ending("outside the shared buffer");
        }
        return place;
    }

    private Copy.Place own(long offset) {
        return new Copy.Place(w.launched.sharedSpace(w.block(t.number)), offset);
    }

    private Copy.Place ofNumber(long address) {
        int rank = (int) (address >> BLOCK_SHIFT) - 1;
        if (rank < 0 || rank >= w.launched.clusterBlocks) {
            throw new Ending("no address in shared memory");
        }
        return new Copy.Place(w.launched.sharedSpace(w.cluster(t.number) * w.launched.clusterBlocks + rank),
                address & (1 << BLOCK_SHIFT) - 1);
    }

    /** The number that stands for the same place in another block of the cluster. */
    long mapped(Copy.Place place, int rank) {
        return (rank + 1L << BLOCK_SHIFT) + place.offset();
    }

    Copy.Place inBlockOf(Copy.Place place, int rank) {
        return new Copy.Place(w.launched.sharedSpace(w.cluster(t.number) * w.launched.clusterBlocks + rank),
                place.offset());
    }

    /** The number of the barrier at a place. */
    int barrier(Copy.Place place) {
        int block = place.space() - w.launched.cells.buffers;
        for (int i = 0; i < w.launched.barrierOffsets.length; i++) {
            if (block >= 0 && w.launched.barrierOffsets[i] == place.offset()) {
                return block * w.launched.barriersPerBlock + i;
            }
        }
        throw new Ending("no mbarrier at this address");
    }

    boolean isRemote(Copy.Place place) {
        return place.space() >= w.launched.cells.buffers && place.space() != w.launched.sharedSpace(w.block(t.number));
    }
}
