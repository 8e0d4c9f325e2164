package dev.tilewright.reference.state;

import dev.tilewright.Counted;
import dev.tilewright.reference.box.TensorMemory;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.observe.ExecutionObserver;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * The device addresses of the memory bound in one run: the same run gives the same addresses, each a multiple of 256,
 * with a gap after each piece of memory. A segment bound to several parameters has one address, and segments that
 * overlap are parts of one piece.
 */
public final class DeviceAddresses {
    /** Well above what could be mistaken for a size or an offset. */
    private static final long FIRST = 0x7E00_0000_0000L;
    private static final long ALIGNMENT = 256;

    /**
     * A segment.
     *
     * @param name of the first parameter that it is bound to
     * @param known where it lies
     */
    private record Placed(long address, String name, MemorySegment segment, Known known) {

        /** Whether all these bytes are in it. */
        boolean holds(long from, long bytes) {
            return from >= address && from - address <= segment.byteSize() - bytes;
        }
    }

    /** What consists of segments that overlap. */
    private record Piece(String name, long bytes) { }

    private final List<Placed> segments = new ArrayList<>();
    private final List<Piece> pieces = new ArrayList<>();

    /** @param memory in the order in which addresses are given out; may hold a segment several times */
    public DeviceAddresses(List<GlobalMemory> memory) {
        long next = FIRST;
        for (Allocations.Group group : new Allocations(memory.stream().map(GlobalMemory::segment).toList()).all()) {
            List<GlobalMemory> parts = memory.stream().filter(m -> group.has(m.segment())).toList();
            for (GlobalMemory m : parts) {
                if (placed(m.segment()) == null) {
                    long offset = group.offset(m.segment());
                    segments.add(new Placed(next + offset, m.name(), m.segment(), new Known(pieces.size(), offset)));
                }
            }
            pieces.add(new Piece(parts.getFirst().name(), group.bytes()));
            next += (Math.ceilDiv(group.bytes(), ALIGNMENT) + 1) * ALIGNMENT;
        }
    }

    private Placed placed(MemorySegment segment) {
        return segments.stream().filter(p -> p.segment.equals(segment)).findFirst().orElse(null);
    }

    /**
     * Where memory lies among the pieces.
     *
     * @param piece its number in the order of addresses; -1 for none, as of kernel parameters
     * @param offset of the memory's first byte
     */
    public record Known(int piece, long offset) {
        static final Known NOWHERE = new Known(-1, 0);
    }

    /** Where a bound segment, or a part of one, lies. */
    public Known find(MemorySegment segment) {
        Placed same = placed(segment);
        if (same != null) {
            return same.known;
        }
        for (Placed p : segments) {
            if (p.segment.asOverlappingSlice(segment).isPresent()) {
                return new Known(p.known.piece, p.known.offset + segment.address() - p.segment.address());
            }
        }
        return Known.NOWHERE;
    }

    /** The pieces in the order of their numbers. @param pointed what parameters point to, under their names */
    public List<ExecutionObserver.Allocation> pieces(Predicate<MemorySegment> written, List<GlobalMemory> pointed) {
        return IntStream.range(0, pieces.size()).mapToObj(i -> new ExecutionObserver.Allocation(pieces.get(i).name,
                pieces.get(i).bytes, segments.stream().anyMatch(p -> p.known.piece == i && written.test(p.segment)),
                pointed.stream().filter(m -> m.known().piece() == i)
                        .map(m -> new ExecutionObserver.Part(m.name(), m.known().offset(), m.bytes())).toList(),
                segments.stream().filter(p -> p.known.piece == i)
                        .map(p -> new ExecutionObserver.Stretch(p.segment, p.known.offset)).toList())).toList();
    }

    /** The address of a bound segment's first byte. */
    public long of(MemorySegment segment) {
        return placed(segment).address;
    }

    /** All memory as a tensor map sees it that holds this address, which need not be that of any. */
    public TensorMemory around(long address) {
        Placed home = holding(address, 0);
        TensorMemory.Elsewhere elsewhere = new Elsewhere(address);
        return home == null ? new TensorMemory(MemorySegment.NULL, 0, elsewhere)
                : new TensorMemory(home.segment, address - home.address, elsewhere);
    }

    /** @param base the address that distances count from */
    private final class Elsewhere implements TensorMemory.Elsewhere {
        private final long base;

        Elsewhere(long base) {
            this.base = base;
        }

        @Override
        public TensorMemory.Place find(long offset, long bytes) {
            Placed p = holding(base + offset, bytes);
            return p == null ? null : new TensorMemory.Place(p.segment, base + offset - p.address);
        }

        @Override
        public String describe(long offset, long bytes) {
            long address = base + offset;
            Placed near = segments.stream().filter(p -> p.address <= address).reduce((_, last) -> last).orElse(null);
            if (near == null || address - near.address - near.segment.byteSize() >= ALIGNMENT) {
                return Counted.of(bytes, "byte") + " at address 0x" + Long.toHexString(address)
                        + ", where no memory of this launch lies";
            }
            return "bytes " + (address - near.address) + " to " + (address - near.address + bytes - 1) + " of '"
                    + near.name + "', which has " + Counted.of(near.segment.byteSize(), "byte");
        }
    }

    private Placed holding(long address, long bytes) {
        return segments.stream().filter(p -> p.holds(address, bytes)).findFirst().orElse(null);
    }

    /** The place at an address that a program holds as a number. */
    public ResolvedAddress.InGlobal spot(long address, int bytes, int alignment) {
        Placed whole = holding(address, bytes);
        Placed p = whole == null ? segment(address, "what an instruction touches") : whole;
        long offset = address - p.address;
        if (offset > p.segment.byteSize() - bytes) {
            throw new Fault(Kind.OUT_OF_BOUNDS, "bytes " + offset + " to " + (offset + bytes - 1) + " are outside '"
                    + p.name + "', which has " + Counted.of(p.segment.byteSize(), "byte"));
        }
        if ((offset & alignment - 1) != 0) {
            throw new Fault(Kind.MISALIGNED, "byte offset " + offset + " of '" + p.name + "' must be a multiple of "
                    + alignment);
        }
        return new ResolvedAddress.InGlobal(new GlobalMemory(p.name, p.segment, p.known), offset);
    }

    private Placed segment(long address, String what) {
        for (Placed p : segments) {
            if (address >= p.address && address < p.address + p.segment.byteSize()) {
                return p;
            }
        }
        throw new Fault(Kind.OUT_OF_BOUNDS, what + " is at address 0x" + Long.toHexString(address)
                + ", where no memory of this launch lies");
    }
}
