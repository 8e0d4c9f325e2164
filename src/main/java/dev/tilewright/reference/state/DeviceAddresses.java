package dev.tilewright.reference.state;

import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.observe.ExecutionObserver;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

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

    /** The pieces in the order of their numbers. */
    public List<ExecutionObserver.Allocation> pieces(Predicate<MemorySegment> written) {
        return pieces.stream().map(p -> new ExecutionObserver.Allocation(p.name, p.segment.byteSize(),
                written.test(p.segment))).toList();
    }

    /** The address of a bound segment's first byte. */
    public long of(MemorySegment segment) {
        return pieces.stream().filter(p -> p.segment.equals(segment)).findFirst().orElseThrow().address;
    }

    /** What lies at an address, to the end of its segment. @param what for the message: whose address it is */
    public MemorySegment at(long address, String what) {
        Placed p = piece(address, what);
        return p.segment.asSlice(address - p.address);
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
