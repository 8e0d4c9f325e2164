package dev.tilewright.program;

import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cache.PrefetchTensormap;
import dev.tilewright.ptx.copy.BulkCommitGroup;
import dev.tilewright.ptx.copy.BulkLoad;
import dev.tilewright.ptx.copy.BulkStore;
import dev.tilewright.ptx.copy.BulkWaitGroup;
import dev.tilewright.ptx.copy.CpAsync;
import dev.tilewright.ptx.copy.CpAsyncCommitGroup;
import dev.tilewright.ptx.copy.CpAsyncWaitGroup;
import dev.tilewright.ptx.copy.TensorLoad;
import dev.tilewright.ptx.copy.TensorStore;
import dev.tilewright.ptx.fence.FenceMbarrierInit;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.fence.FenceProxyTensormapAcquire;
import dev.tilewright.ptx.fence.FenceProxyTensormapRelease;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArriveExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierInit;
import dev.tilewright.ptx.mbarrier.MbarrierTryWait;
import dev.tilewright.ptx.mbarrier.MbarrierTryWaitParity;
import dev.tilewright.ptx.mbarrier.WaitOrder;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.tensormap.TensormapCpFenceproxy;
import dev.tilewright.ptx.tensormap.TensormapReplace;
import java.util.List;
import java.util.Optional;

/**
 * What a step does. Every thread of the block performs every step, in order, unless a guard keeps it out.
 *
 * <p>Three kinds: structure (variables, loops, guards, the block-wide barrier), element work on fragments, and PTX
 * instructions ({@link Instruction}), whose text and requirements come from {@link PtxInstruction}.
 */
public sealed interface Operation {

    // ---- structure

    /** Names a value for the steps that follow in the same body. */
    record Let(Expr.Var variable, Expr value) implements Operation {
        public Let {
            requireSameType(variable, value);
        }
    }

    /** {@code for (variable = from; variable < until; variable += by)}. */
    record Loop(Expr.Var variable, Expr from, Expr until, Expr by, List<Step> body) implements Operation {
        public Loop {
            requireSameType(variable, from);
            requireSameType(variable, until);
            requireSameType(variable, by);
            body = List.copyOf(body);
        }
    }

    /** Performs the body in the threads for which the condition holds, the other body in the rest. */
    record Guard(Expr condition, List<Step> body, List<Step> otherwise) implements Operation {
        public Guard {
            if (condition.type() != IntType.BOOL) {
                throw new IllegalArgumentException("a guard needs a condition, got an integer of type " + condition.type());
            }
            body = List.copyOf(body);
            otherwise = List.copyOf(otherwise);
        }
    }

    /** {@code __syncthreads()}: every thread of the block waits here for all others. */
    record SyncThreads() implements Operation {
    }

    // ---- elements

    /** Reads a fragment from shared memory, global memory or a tensor map parameter, at a multiple of its size. */
    record Load(Fragment fragment, Address from) implements Operation {
        public Load {
            requireMemory(from);
        }
    }

    /** Writes a fragment to shared or global memory, at a multiple of its size. */
    record Store(Address to, Fragment fragment) implements Operation {
        public Store {
            requireMemory(to);
            if (to instanceof Address.MapBytes m) {
                throw new IllegalArgumentException("tensor map '" + m.map().name()
                        + "' is a kernel parameter, which cannot be written: copy it to shared memory");
            }
            if (to instanceof Address.Global g && !g.pointer().written()) {
                throw new IllegalArgumentException("pointer '" + g.pointer().name() + "' is declared read-only");
            }
        }
    }

    /** Applies an element step to every element of a fragment. */
    record Apply(Fragment fragment, ElementStep step, Parameter.Scalar scalar) implements Operation {
        public Apply {
            if (!step.hasScalar()) {
                throw new IllegalArgumentException("a " + step + " step leaves the fragment as it is: leave it out");
            }
            if (scalar.type() != ElementStep.scalarType(fragment.type())) {
                throw new IllegalArgumentException("scalar '" + scalar.name() + "' must have type "
                        + ElementStep.scalarType(fragment.type()) + " for elements of type " + fragment.type()
                        + ", got " + scalar.type());
            }
        }
    }

    // ---- PTX instructions

    /** An operation that is one PTX instruction, in a loop where it is a wait. */
    sealed interface Instruction extends Operation {
        /** The instruction's form. */
        PtxInstruction form();
    }

    /**
     * Any instruction of the catalogue, as it is. The other operations of this kind say more about what they are for, and
     * more is checked of them; this one is for all the rest.
     *
     * @param inputs for the form's operands that are not results, in their order
     * @param results variables that take the form's results, in their order: 64 bits where the register has them, else 32; of
     *     a predicate 0 or 1, of a float its bits
     */
    record Perform(PtxInstruction form, List<Input> inputs, List<Expr.Var> results) implements Instruction {
        public Perform {
            inputs = List.copyOf(inputs);
            results = List.copyOf(results);
            PerformCheck.check(form, inputs, results);
        }
    }

    /**
     * Starts a copy of 4, 8 or 16 bytes from global to shared memory, as part of the thread's open group.
     *
     * @param sourceBytes how many bytes to read (32 bits); the rest of the destination is filled with zeros
     */
    record CpAsyncCopy(Address.Shared to, Address.Global from, int bytes, Optional<Expr> sourceBytes)
            implements Instruction {
        public CpAsyncCopy {
            sourceBytes.ifPresent(e -> require(e, IntType.S32, "the number of source bytes"));
            CpAsync.streaming(bytes, sourceBytes.isPresent());
        }

        @Override
        public CpAsync form() {
            return CpAsync.streaming(bytes, sourceBytes.isPresent());
        }
    }

    /** Closes the thread's open group of cp.async copies. An empty group counts too. */
    record CpAsyncCommit() implements Instruction {
        @Override
        public CpAsyncCommitGroup form() {
            return new CpAsyncCommitGroup();
        }
    }

    /** Waits until at most {@code pending} of the thread's closed groups have not landed. */
    record CpAsyncWait(int pending) implements Instruction {
        public CpAsyncWait {
            requirePending(pending);
        }

        @Override
        public CpAsyncWaitGroup form() {
            return new CpAsyncWaitGroup(pending);
        }
    }

    /** Starts a TMA copy of {@code bytes} (32 bits, a multiple of 16) that completes on an mbarrier. */
    record BulkLoadCopy(Address.Shared to, Address.Global from, Expr bytes, Address.Barrier barrier)
            implements Instruction {
        public BulkLoadCopy {
            require(bytes, IntType.S32, "the byte count");
        }

        @Override
        public BulkLoad form() {
            return new BulkLoad();
        }
    }

    /** Starts a TMA copy of {@code bytes} (32 bits, a multiple of 16) in the thread's open bulk group. */
    record BulkStoreCopy(Address.Global to, Address.Shared from, Expr bytes) implements Instruction {
        public BulkStoreCopy {
            require(bytes, IntType.S32, "the byte count");
            if (!to.pointer().written()) {
                throw new IllegalArgumentException("pointer '" + to.pointer().name() + "' is declared read-only");
            }
        }

        @Override
        public BulkStore form() {
            return new BulkStore();
        }
    }

    /** Starts a TMA copy of one box that completes on an mbarrier. Coordinates are 32-bit, innermost first. */
    record TensorLoadBox(Address.Shared to, MapSource map, List<Expr> coordinates, Address.Barrier barrier)
            implements Instruction {
        public TensorLoadBox {
            coordinates = requireCoordinates(map, coordinates);
        }

        @Override
        public TensorLoad form() {
            return new TensorLoad(map.rank());
        }
    }

    /** Starts a TMA copy of one box to the tensor, in the thread's open bulk group. */
    record TensorStoreBox(MapSource map, List<Expr> coordinates, Address.Shared from) implements Instruction {
        public TensorStoreBox {
            coordinates = requireCoordinates(map, coordinates);
        }

        @Override
        public TensorStore form() {
            return new TensorStore(map.rank());
        }
    }

    /** Closes the thread's open group of bulk copies. */
    record BulkCommit() implements Instruction {
        @Override
        public BulkCommitGroup form() {
            return new BulkCommitGroup();
        }
    }

    /** Waits until at most {@code pending} bulk groups are unfinished, or only unread with {@code read}. */
    record BulkWait(int pending, boolean read) implements Instruction {
        public BulkWait {
            requirePending(pending);
        }

        @Override
        public BulkWaitGroup form() {
            return new BulkWaitGroup(pending, read);
        }
    }

    /** Initialises a barrier whose phases each take {@code arrivals} arrivals (1 to 2^20 - 1). */
    record BarrierInit(Address.Barrier barrier, int arrivals) implements Instruction {
        public BarrierInit {
            if (arrivals < 1 || arrivals >= 1 << 20) {
                throw new IllegalArgumentException("arrivals must be in [1, 1048575], got " + arrivals);
            }
        }

        @Override
        public MbarrierInit form() {
            return new MbarrierInit();
        }
    }

    /** Arrives once; the token, where one is wanted, names the phase. */
    record Arrive(Address.Barrier barrier, Optional<Token> token) implements Instruction {
        @Override
        public MbarrierArrive form() {
            return new MbarrierArrive();
        }
    }

    /** Announces {@code bytes} (32 bits) for the current phase and arrives once. */
    record ArriveExpectTx(Address.Barrier barrier, Expr bytes, Optional<Token> token) implements Instruction {
        public ArriveExpectTx {
            require(bytes, IntType.S32, "the byte count");
        }

        @Override
        public MbarrierArriveExpectTx form() {
            return new MbarrierArriveExpectTx();
        }
    }

    /** Announces {@code bytes} (32 bits) for the current phase without arriving. */
    record ExpectTx(Address.Barrier barrier, Expr bytes) implements Instruction {
        public ExpectTx {
            require(bytes, IntType.S32, "the byte count");
        }

        @Override
        public MbarrierExpectTx form() {
            return new MbarrierExpectTx();
        }
    }

    /** Waits until the phase that the token names has completed. @param order what the end of the wait orders */
    record WaitToken(Address.Barrier barrier, Token token, WaitOrder order) implements Instruction {
        /** Acquires at CTA scope. */
        public WaitToken(Address.Barrier barrier, Token token) {
            this(barrier, token, WaitOrder.DEFAULT);
        }

        @Override
        public MbarrierTryWait form() {
            return new MbarrierTryWait(order, Space.SHARED_CTA, false);
        }
    }

    /**
     * Waits until the phase of this parity (32 bits, 0 or 1) has completed.
     *
     * @param order what the end of the wait orders: cluster scope for what other blocks stored before they arrived
     */
    record WaitParity(Address.Barrier barrier, Expr parity, WaitOrder order) implements Instruction {
        public WaitParity {
            require(parity, IntType.S32, "a parity");
        }

        /** Acquires at CTA scope. */
        public WaitParity(Address.Barrier barrier, Expr parity) {
            this(barrier, parity, WaitOrder.DEFAULT);
        }

        @Override
        public MbarrierTryWaitParity form() {
            return new MbarrierTryWaitParity(order, Space.SHARED_CTA, false);
        }
    }

    /**
     * Loads a value again and again until the condition on it holds: how one block waits for another. The value is defined
     * from then on, and in the condition. A block that waits like this for another needs that one to be running or to have
     * run: blocks start in order, and how many run at once is the GPU's.
     *
     * @param form the load, 32 or 64 bits wide; one that acquires shows what came before the store it waits for
     * @param value takes the bits that were loaded
     */
    record WaitUntil(Ld form, Input from, Expr.Var value, Expr condition) implements Instruction {
        public WaitUntil {
            PerformCheck.check(form, List.of(from), List.of(value));
            require(condition, IntType.BOOL, "what a value is waited for by");
        }
    }

    /** Orders ordinary accesses before it and asynchronous copies after it. */
    record ProxyFence(FenceProxyAsync.Memory memory) implements Instruction {
        @Override
        public FenceProxyAsync form() {
            return new FenceProxyAsync(memory);
        }
    }

    /** Makes freshly initialised barriers known to the asynchronous proxy. */
    record BarrierInitFence() implements Instruction {
        @Override
        public FenceMbarrierInit form() {
            return new FenceMbarrierInit();
        }
    }

    // ---- tensor maps that the kernel changes

    /** Sets one field of a tensor map in shared memory, at an address that is a multiple of 128. */
    record ReplaceMapField(Address.Shared map, MapEdit edit) implements Instruction {
        @Override
        public TensormapReplace form() {
            return edit.form();
        }
    }

    /**
     * Copies the 128 bytes of a tensor map from shared to global memory, both at multiples of 128, and publishes it:
     * whoever acquires it afterwards may use it. All threads of a warp perform this together.
     */
    record PublishMap(Address.Global to, Address.Shared from) implements Instruction {
        public PublishMap {
            if (!to.pointer().written()) {
                throw new IllegalArgumentException("pointer '" + to.pointer().name() + "' is declared read-only");
            }
        }

        @Override
        public TensormapCpFenceproxy form() {
            return new TensormapCpFenceproxy();
        }
    }

    /** Lets this thread's later tensor copies use a map in global memory as it was last published. */
    record AcquireMap(Address.Global map) implements Instruction {
        @Override
        public FenceProxyTensormapAcquire form() {
            return new FenceProxyTensormapAcquire();
        }
    }

    /**
     * Publishes a tensor map that this thread wrote to global memory by ordinary stores.
     *
     * @param map the map meant; the instruction itself names none, it is for all that the thread has written
     */
    record ReleaseMap(Address.Global map) implements Instruction {
        @Override
        public FenceProxyTensormapRelease form() {
            return new FenceProxyTensormapRelease();
        }
    }

    /** Brings a tensor map near the copy engine before its first use; a map in memory must have been acquired. */
    record PrefetchMap(MapSource map) implements Instruction {
        @Override
        public PrefetchTensormap form() {
            return new PrefetchTensormap();
        }
    }

    private static void require(Expr e, IntType type, String what) {
        if (e.type() != type) {
            throw new IllegalArgumentException(what + " must have type " + type + ", got " + e.type());
        }
    }

    private static void requirePending(int groups) {
        if (groups < 0) {
            throw new IllegalArgumentException("pending groups must be at least 0, got " + groups);
        }
    }

    private static void requireSameType(Expr.Var variable, Expr value) {
        if (variable.type() != value.type()) {
            throw new IllegalArgumentException("variable '" + variable.name() + "' has type " + variable.type()
                    + ", its value has type " + value.type());
        }
    }

    private static void requireMemory(Address address) {
        if (address instanceof Address.Barrier b) {
            throw new IllegalArgumentException("barrier '" + b.barriers().name() + "' is not memory for elements");
        }
    }

    private static List<Expr> requireCoordinates(MapSource map, List<Expr> coordinates) {
        if (coordinates.size() != map.rank()) {
            throw new IllegalArgumentException(map.title() + " of rank " + map.rank() + " takes "
                    + map.rank() + " coordinates, got " + coordinates.size());
        }
        coordinates.forEach(c -> require(c, IntType.S32, "a coordinate"));
        return List.copyOf(coordinates);
    }
}
