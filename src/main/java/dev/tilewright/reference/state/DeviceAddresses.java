package dev.tilewright.reference.state;

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
 * with a gap after each piece of memory. A segment bound to several parameters has one address.
 */
public final class DeviceAddresses {
    /** Well above what could be mistaken for a size or an offset. */
    private static final long FIRST = 0x7E00_0000_0000L;
    private static final long ALIGNMENT = 256;

    /** @param name of the first parameter that it is bound to */
    private record Placed(long address, String name, MemorySegment segment) {
    }

    private final List<Placed> pieces = new ArrayList<>();

    /** @param memory in the order in which addresses are given out; may hold a segment several times */
    public DeviceAddresses(List<GlobalMemory> memory) {
        long next = FIRST;
        for (GlobalMemory m : memory) {
            MemorySegment segment = m.segment();
            if (pieces.stream().noneMatch(p -> p.segment.equals(segment))) {
                pieces.add(new Placed(next, m.name(), segment));
                next += (Math.ceilDiv(segment.byteSize(), ALIGNMENT) + 1) * ALIGNMENT;
            }
        }
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
        for (int i = 0; i < pieces.size(); i++) {
            if (pieces.get(i).segment.equals(segment)) {
                return new Known(i, 0);
            }
        }
        for (int i = 0; i < pieces.size(); i++) {
            MemorySegment whole = pieces.get(i).segment;
            if (whole.asOverlappingSlice(segment).isPresent()) {
                return new Known(i, whole.asOverlappingSlice(segment).orElseThrow().address() - whole.address());
            }
        }
        return Known.NOWHERE;
    }

    /** The pieces in the order of their numbers. @param pointed what parameters point to, under their names */
    public List<ExecutionObserver.Allocation> pieces(Predicate<MemorySegment> written, List<GlobalMemory> pointed) {
        return IntStream.range(0, pieces.size()).mapToObj(i -> new ExecutionObserver.Allocation(pieces.get(i).name,
                pieces.get(i).segment.byteSize(), written.test(pieces.get(i).segment),
                pointed.stream().filter(m -> m.known().piece() == i)
                        .map(m -> new ExecutionObserver.Part(m.name(), m.known().offset(), m.bytes())).toList())).toList();
    }

    /** The address of a bound segment's first byte. */
    public long of(MemorySegment segment) {
        return pieces.stream().filter(p -> p.segment.equals(segment)).findFirst().orElseThrow().address;
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
            Placed near = pieces.stream().filter(p -> p.address <= address).reduce((_, last) -> last).orElse(null);
            if (near == null || address - near.address - near.segment.byteSize() >= ALIGNMENT) {
                return bytes + " bytes at address 0x" + Long.toHexString(address)
                        + ", where no memory of this launch lies";
            }
            return "bytes " + (address - near.address) + " to " + (address - near.address + bytes - 1) + " of '"
                    + near.name + "', which has " + near.segment.byteSize() + " bytes";
        }
    }

    private Placed holding(long address, long bytes) {
        for (Placed p : pieces) {
            if (address >= p.address && address - p.address <= p.segment.byteSize() - bytes) {
                return p;
            }
        }
        return null;
    }

    /** The place at an address that a program holds as a number. */
    public ResolvedAddress.InGlobal spot(long address, int bytes, int alignment) {
        Placed p = piece(address, "what an instruction touches");
        long offset = address - p.address;
        if (offset > p.segment.byteSize() - bytes) {
            throw new Fault(Kind.OUT_OF_BOUNDS, "bytes " + offset + " to " + (offset + bytes - 1) + " are outside '" + p.name
                    + "', which has " + p.segment.byteSize() + " bytes");
        }
        if ((offset & alignment - 1) != 0) {
            throw new Fault(Kind.MISALIGNED, "byte offset " + offset + " of '" + p.name + "' must be a multiple of " + alignment);
        }
        return new ResolvedAddress.InGlobal(new GlobalMemory(p.name, p.segment, new Known(pieces.indexOf(p), 0)), offset);
    }

    private Placed piece(long address, String what) {
        for (Placed p : pieces) {
            if (address >= p.address && address < p.address + p.segment.byteSize()) {
                return p;
            }
        }
        throw new Fault(Kind.OUT_OF_BOUNDS, what + " is at address 0x" + Long.toHexString(address)
                + ", where no memory of this launch lies");
    }
}
