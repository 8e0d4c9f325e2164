package dev.tilewright.hazard.flow;

import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.mbarrier.MbarrierArrival;
import dev.tilewright.ptx.mbarrier.MbarrierArriveExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierCompleteTx;
import dev.tilewright.ptx.mbarrier.MbarrierExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierInstruction;
import dev.tilewright.ptx.mbarrier.MbarrierWait;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;

/** The steps of a program that use an mbarrier. Those whose barrier cannot be told use any. */
public record BarrierSteps(ProgramFlow flow, SharedLayout layout) {
    private static final String BARRIER = "mbar";
    private static final String MASK = "cta_mask";
    private static final int BYTES = 8;

    /** The place of an mbarrier. @param region of shared memory that it is in @param offset in bytes from its start */
    public record At(SharedRegion region, int offset) {

        /** The one of an array that has the same number as this one; null where it has none. */
        public At sameOf(SharedRegion other) {
            return offset < other.bytes() ? new At(other, offset) : null;
        }
    }

    /** The mbarrier at an address of shared memory; null where that is in no region. */
    public At at(int address) {
        Map<String, Integer> offsets = layout.offsets();
        for (SharedRegion region : layout.regions()) {
            int start = offsets.get(region.name());
            if (address >= start && address < start + region.bytes()) {
                return new At(region, address - start);
            }
        }
        return null;
    }

    /** The address in shared memory. */
    public int address(At place) {
        return layout.offsets().get(place.region.name()) + place.offset;
    }

    /** Steps that arrive at it. */
    public List<Integer> arriving(At barrier) {
        return of(barrier, form -> form instanceof MbarrierArrival);
    }

    /** Steps that arrive at any mbarrier of its region. */
    public List<Integer> arrivingNear(At barrier) {
        return flow.steps(o -> o instanceof Operation.Instruction i && i.form() instanceof MbarrierArrival
                && barrier(i).flatMap(flow.definitions()::base).map(barrier.region::equals).orElse(true));
    }

    /** Steps that announce bytes. */
    public List<Integer> announcing(At barrier) {
        return of(barrier, form -> form instanceof MbarrierArriveExpectTx || form instanceof MbarrierExpectTx);
    }

    /** Steps that start copies whose bytes are counted, and steps that count bytes themselves. */
    public List<Integer> bringing(At barrier) {
        return of(barrier, form -> form instanceof MbarrierCompleteTx || !(form instanceof MbarrierInstruction));
    }

    /** Steps that wait, or ask. */
    public List<Integer> waiting(At barrier) {
        return of(barrier, form -> form instanceof MbarrierWait);
    }

    /** Steps that wait for any mbarrier of a region, or ask. */
    public List<Integer> waitingNear(SharedRegion region) {
        return flow.steps(o -> o instanceof Operation.Instruction i && i.form() instanceof MbarrierWait
                && barrier(i).flatMap(flow.definitions()::base).map(region::equals).orElse(true));
    }

    /** Arrays of mbarriers at which threads arrive, and for none of which any thread waits. */
    public List<SharedRegion> notWaitedFor() {
        return layout.regions().stream().filter(r -> r instanceof SharedRegion.Barriers && waitingNear(r).isEmpty()
                && !arrivingNear(new At(r, 0)).isEmpty()).toList();
    }

    /** The region of the mbarrier that a step uses; empty where that cannot be told. */
    public Optional<SharedRegion> region(int step) {
        return flow.operation(step) instanceof Operation.Instruction i ? barrier(i).flatMap(flow.definitions()::base)
                .filter(SharedRegion.class::isInstance).map(SharedRegion.class::cast) : Optional.empty();
    }

    /** Whether a step is given, beside its mbarrier, the number of one that another step uses, by what is written. */
    public boolean goesBy(int step, int barrierStep) {
        Optional<Address.Barrier> at = place(barrierStep);
        return at.isPresent() && flow.mentions(step, at.get().index());
    }

    /** Whether a step may use a barrier of another block than its thread's. */
    public boolean mayReachOthers(int step) {
        return flow.operation(step) instanceof Operation.Instruction i
                && (i.given(MASK).isPresent()
                    || barrier(i).filter(input -> !(input instanceof Input.Place)).isPresent());
    }

    /**
     * Whether two steps of one loop name mbarriers of different numbers in their arrays, by what is written there.
     * False where that cannot be told.
     */
    public boolean nameDifferentNumbers(int a, int b) {
        Optional<Address.Barrier> first = place(a);
        Optional<Address.Barrier> second = place(b);
        if (first.isEmpty() || second.isEmpty() || first.get().barriers().count() == 1
                || second.get().barriers().count() == 1 || first.get().barriers().equals(second.get().barriers())
                || !flow.shareLoop(a, b)) {
            return false;
        }
        return !resolved(first.get()).equals(resolved(second.get()));
    }

    /** Whether two steps of one loop name different mbarriers of one array. False where that cannot be told. */
    public boolean nameDifferentOfOneArray(int a, int b) {
        Optional<Address.Barrier> first = place(a);
        Optional<Address.Barrier> second = place(b);
        return first.isPresent() && second.isPresent() && first.get().barriers().equals(second.get().barriers())
                && flow.shareLoop(a, b)
                && !resolved(first.get()).equals(resolved(second.get()));
    }

    private Expr resolved(Address.Barrier barrier) {
        return flow.definitions().resolved(barrier.index());
    }

    /** The mbarrier of an array that a step uses, as it is written there. */
    private Optional<Address.Barrier> place(int step) {
        return flow.operation(step) instanceof Operation.Instruction i
                ? barrier(i).filter(Input.Place.class::isInstance).map(p -> ((Input.Place) p).address())
                        .filter(Address.Barrier.class::isInstance).map(Address.Barrier.class::cast)
                : Optional.empty();
    }

    private List<Integer> of(At barrier, Predicate<PtxInstruction> wanted) {
        return flow.steps(o -> o instanceof Operation.Instruction i && wanted.test(i.form())
                && barrier(i).filter(input -> mayBe(barrier, input)).isPresent());
    }

    private boolean mayBe(At barrier, Input input) {
        OptionalLong offset = switch (input) {
            case Input.Place(Address.Barrier b) -> times(BYTES, b.index().constant());
            case Input.Place(Address.Shared s) -> s.byteOffset().constant();
            default -> OptionalLong.empty();
        };
        return flow.definitions().base(input).map(barrier.region::equals).orElse(true)
                && (offset.isEmpty() || offset.getAsLong() == barrier.offset);
    }

    private static OptionalLong times(long factor, OptionalLong n) {
        return n.isPresent() ? OptionalLong.of(factor * n.getAsLong()) : n;
    }

    private static Optional<Input> barrier(Operation.Instruction i) {
        return i.given(BARRIER);
    }
}
