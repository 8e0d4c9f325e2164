package dev.tilewright.program;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.MapEdit;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.program.expression.Token;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.copy.BulkClusterCopy;
import dev.tilewright.ptx.copy.BulkClusterReduce;
import dev.tilewright.ptx.copy.BulkCommitGroup;
import dev.tilewright.ptx.copy.BulkLoad;
import dev.tilewright.ptx.copy.BulkPrefetch;
import dev.tilewright.ptx.copy.BulkReduce;
import dev.tilewright.ptx.copy.BulkStore;
import dev.tilewright.ptx.copy.BulkWaitGroup;
import dev.tilewright.ptx.copy.CpAsync;
import dev.tilewright.ptx.copy.CpAsyncCommitGroup;
import dev.tilewright.ptx.copy.CpAsyncWaitAll;
import dev.tilewright.ptx.copy.CpAsyncWaitGroup;
import dev.tilewright.ptx.copy.RedAsync;
import dev.tilewright.ptx.copy.StAsync;
import dev.tilewright.ptx.copy.TensorLoad;
import dev.tilewright.ptx.copy.TensorPrefetch;
import dev.tilewright.ptx.copy.TensorReduce;
import dev.tilewright.ptx.copy.TensorStore;
import dev.tilewright.ptx.fence.FenceMbarrierInit;
import dev.tilewright.ptx.fence.FenceProxyTensormapAcquire;
import dev.tilewright.ptx.fence.FenceProxyTensormapRelease;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArriveExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierInit;
import dev.tilewright.ptx.mbarrier.MbarrierTestWait;
import dev.tilewright.ptx.mbarrier.MbarrierTestWaitParity;
import dev.tilewright.ptx.mbarrier.MbarrierTryWait;
import dev.tilewright.ptx.mbarrier.MbarrierTryWaitParity;
import dev.tilewright.ptx.tensormap.TensormapCpFenceproxy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The part of {@link Body} for asynchronous copies, the groups and mbarriers by which they complete, and tensor maps
 * that a kernel changes.
 */
public abstract sealed class AsyncSteps extends ThreadSteps permits Body {
    AsyncSteps(Body.StepList list, Optional<String> purpose) {
        super(list, purpose);
    }

    /**
     * Starts a copy from global to shared memory as part of the thread's open group, past L1 where the instruction
     * allows it.
     *
     * @param bytes 4, 8 or 16, of which both addresses are multiples
     */
    public CpAsyncStep cpAsync(Address.Shared to, Address.Global from, int bytes) {
        NotNull.all("to, from", to, from);
        return new CpAsyncStep(this, CpAsync.of(bytes), named(Input.of(to), Input.of(from)));
    }

    /** Closes the thread's open group of cp.async copies. An empty group counts too. */
    public void cpAsyncCommit() {
        issue(new CpAsyncCommitGroup());
    }

    /** Waits until at most {@code pending} of the thread's closed groups have not landed. */
    public void cpAsyncWait(int pending) {
        issue(new CpAsyncWaitGroup(pending));
    }

    /** Closes the thread's open group and waits until all of its cp.async copies have landed. */
    public void cpAsyncWaitAll() {
        issue(new CpAsyncWaitAll());
    }

    /** Starts a TMA copy of {@code bytes} (32 bits, a multiple of 16) that completes on an mbarrier. */
    public BulkLoadStep bulkLoad(Address.Shared to, Address.Global from, Expr bytes, Address.Barrier barrier) {
        NotNull.all("to, from, bytes, barrier", to, from, bytes, barrier);
        Map<String, Input> inputs = named(Input.of(to), Input.of(from));
        inputs.put("bytes", Input.of(bytes));
        inputs.put("mbar", Input.of(barrier));
        return new BulkLoadStep(this, new BulkLoad(), inputs);
    }

    /** Starts a TMA copy of {@code bytes}, a multiple of 16, that completes on an mbarrier. */
    public BulkLoadStep bulkLoad(Address.Shared to, Address.Global from, int bytes, Address.Barrier barrier) {
        return bulkLoad(to, from, Expr.of(bytes), barrier);
    }

    /** Starts a TMA copy of {@code bytes}, a multiple of 16, in the thread's open bulk group. */
    public BulkStoreStep bulkStore(Address.Global to, Address.Shared from, int bytes) {
        return bulkStore(to, from, Expr.of(bytes));
    }

    /** Starts a TMA copy of {@code bytes} (32 bits, a multiple of 16) in the thread's open bulk group. */
    public BulkStoreStep bulkStore(Address.Global to, Address.Shared from, Expr bytes) {
        NotNull.all("to, from, bytes", to, from, bytes);
        Map<String, Input> inputs = named(Input.of(to), Input.of(from));
        inputs.put("bytes", Input.of(bytes));
        return new BulkStoreStep(this, new BulkStore(), inputs);
    }

    /**
     * Starts a TMA copy into the shared memory of a block of the cluster; a barrier of that block counts its bytes:
     * wait for it there. No bulk group has it. Needs sm_90.
     *
     * @param bytes 32 bits, a multiple of 16, as both addresses are
     * @param barrier as this block has it
     */
    public void bulkStore(Address.Remote to, Address.Shared from, Expr bytes, Address.Barrier barrier) {
        NotNull.all("to, from, bytes, barrier", to, from, bytes, barrier);
        issue(new BulkClusterCopy(), there(to), Input.of(from), Input.of(bytes),
                there("barrier_there", barrier, to.rank()));
    }

    /** Starts a TMA copy of {@code bytes}, a multiple of 16, into the shared memory of a block of the cluster. */
    public void bulkStore(Address.Remote to, Address.Shared from, int bytes, Address.Barrier barrier) {
        bulkStore(to, from, Expr.of(bytes), barrier);
    }

    /**
     * Starts a TMA copy of one box that completes on an mbarrier.
     *
     * @param coordinates 32 bits each, innermost first; they may be negative or beyond the tensor. The first, times the
     *     size of an element, must be a multiple of 16 bytes (but for interleaved maps, where it counts slices), or the
     *     hardware faults with ILLEGAL_INSTRUCTION: a constant is looked at when the program is launched
     *     ({@link Launch}), others by the reference
     */
    public TensorLoadStep tensorLoad(Address.Shared to, MapSource map, List<Expr> coordinates,
            Address.Barrier barrier) {
        NotNull.all("to, map, coordinates, barrier", to, map, coordinates, barrier);
        Map<String, Input> inputs = tensor(map, coordinates);
        inputs.put("dst", Input.of(to));
        inputs.put("mbar", Input.of(barrier));
        return new TensorLoadStep(this, new TensorLoad(map.rank()), inputs);
    }

    /**
     * Starts a TMA copy of one box to the tensor, in the thread's open bulk group.
     *
     * @param coordinates 32 bits each, innermost first, none of them negative. The first, times the size of an element,
     *     must be a multiple of 16 bytes, as for {@link #tensorLoad}, or the hardware faults
     */
    public TensorStoreStep tensorStore(MapSource map, List<Expr> coordinates, Address.Shared from) {
        NotNull.all("map, coordinates, from", map, coordinates, from);
        Map<String, Input> inputs = tensor(map, coordinates);
        inputs.put("src", Input.of(from));
        return new TensorStoreStep(this, new TensorStore(map.rank()), inputs);
    }

    /**
     * Starts a TMA reduction of {@code bytes} into global memory, in the thread's open bulk group: each element is
     * updated atomically by itself.
     *
     * @param bytes 32 bits, a multiple of 16
     * @param type of the elements, one that {@link BulkReduce} has the operation on
     */
    public CacheHintStep<BulkReduce> bulkReduce(AtomicOp op, DataType type, Address.Global to, Address.Shared from,
            Expr bytes) {
        NotNull.all("op, type, to, from, bytes", op, type, to, from, bytes);
        Map<String, Input> inputs = named(Input.of(to), Input.of(from));
        inputs.put("bytes", Input.of(bytes));
        return new CacheHintStep<>(this, new BulkReduce(op, type), BulkReduce::withCacheHint, inputs);
    }

    /** Starts a TMA reduction of {@code bytes}, a multiple of 16, into global memory, in the thread's bulk group. */
    public CacheHintStep<BulkReduce> bulkReduce(AtomicOp op, DataType type, Address.Global to, Address.Shared from,
            int bytes) {
        return bulkReduce(op, type, to, from, Expr.of(bytes));
    }

    /**
     * Starts a TMA reduction into the shared memory of a block of the cluster, each element atomically by itself; a
     * barrier of that block counts the bytes: wait for it there. No bulk group has it. Needs sm_90.
     *
     * @param type of the elements, one that {@link BulkClusterReduce} has the operation on
     * @param bytes 32 bits, a multiple of 16, as both addresses are
     * @param barrier as this block has it
     */
    public void bulkReduce(AtomicOp op, DataType type, Address.Remote to, Address.Shared from, Expr bytes,
            Address.Barrier barrier) {
        NotNull.all("op, type, to, from, bytes, barrier", op, type, to, from, bytes, barrier);
        issue(new BulkClusterReduce(op, type), there(to), Input.of(from), Input.of(bytes),
                there("barrier_there", barrier, to.rank()));
    }

    /** Starts a TMA reduction of {@code bytes}, a multiple of 16, into the shared memory of a block of the cluster. */
    public void bulkReduce(AtomicOp op, DataType type, Address.Remote to, Address.Shared from, int bytes,
            Address.Barrier barrier) {
        bulkReduce(op, type, to, from, Expr.of(bytes), barrier);
    }

    /** Advises that {@code bytes} (32 bits, a multiple of 16) be brought into L2. */
    public CacheHintStep<BulkPrefetch> bulkPrefetch(Address.Global from, Expr bytes) {
        NotNull.all("from, bytes", from, bytes);
        Map<String, Input> inputs = new LinkedHashMap<>();
        inputs.put("src", Input.of(from));
        inputs.put("bytes", Input.of(bytes));
        return new CacheHintStep<>(this, new BulkPrefetch(), BulkPrefetch::withCacheHint, inputs);
    }

    /** Advises that {@code bytes}, a multiple of 16, be brought into L2. */
    public CacheHintStep<BulkPrefetch> bulkPrefetch(Address.Global from, int bytes) {
        return bulkPrefetch(from, Expr.of(bytes));
    }

    /**
     * Starts a TMA reduction of one box into the tensor, in the thread's open bulk group: each element is updated
     * atomically by itself.
     *
     * @param coordinates as for {@link #tensorStore}
     */
    public TensorReduceStep tensorReduce(AtomicOp op, MapSource map, List<Expr> coordinates, Address.Shared from) {
        NotNull.all("op, map, coordinates, from", op, map, coordinates, from);
        Map<String, Input> inputs = tensor(map, coordinates);
        inputs.put("src", Input.of(from));
        return new TensorReduceStep(this, new TensorReduce(map.rank(), op), inputs);
    }

    /**
     * Advises that one box of a tensor be brought into L2.
     *
     * @param coordinates as for {@link #tensorLoad}
     */
    public TensorPrefetchStep tensorPrefetch(MapSource map, List<Expr> coordinates) {
        NotNull.all("map, coordinates", map, coordinates);
        return new TensorPrefetchStep(this, new TensorPrefetch(map.rank()), tensor(map, coordinates));
    }

    private static Map<String, Input> named(Input to, Input from) {
        Map<String, Input> inputs = new LinkedHashMap<>();
        inputs.put("dst", to);
        inputs.put("src", from);
        return inputs;
    }

    private static Map<String, Input> tensor(MapSource map, List<Expr> coordinates) {
        if (coordinates.size() != map.rank()) {
            throw new IllegalArgumentException(map.title() + " of rank " + map.rank() + " takes "
                    + map.rank() + " coordinates, got " + coordinates.size());
        }
        Map<String, Input> inputs = new LinkedHashMap<>();
        inputs.put("map", Input.of(map));
        for (int d = 0; d < coordinates.size(); d++) {
            inputs.put("c" + d, Input.of(coordinates.get(d)));
        }
        return inputs;
    }

    /** Closes the thread's open group of bulk copies. */
    public void bulkCommit() {
        issue(new BulkCommitGroup());
    }

    /** Waits for the thread's bulk groups to finish, all but the youngest {@code pending}. */
    public void bulkWait(int pending) {
        issue(new BulkWaitGroup(pending));
    }

    /** Waits until the sources of the thread's bulk groups have been read, all but the youngest {@code pending}. */
    public void bulkWaitRead(int pending) {
        issue(new BulkWaitGroup(pending).withRead());
    }

    /** Sets one field of a tensor map in shared memory, at an address that is a multiple of 128. */
    public void replaceMapField(Address.Shared map, MapEdit edit) {
        NotNull.all("map, edit", map, edit);
        List<Input> inputs = new ArrayList<>(List.of(Input.of(map)));
        edit.value().ifPresent(value -> inputs.add(Input.of(value)));
        add(new Operation.Issue(edit.form(), inputs, List.of()));
    }

    /**
     * Copies the 128 bytes of a tensor map from shared to global memory, both at multiples of 128, and publishes it: a
     * thread that acquires it afterwards may use it. All threads of a warp perform this together.
     */
    public void publishMap(Address.Global to, Address.Shared from) {
        NotNull.all("to, from", to, from);
        issue(new TensormapCpFenceproxy(), Input.of(to), Input.of(from));
    }

    /** Lets this thread's later tensor copies use a map in global memory as it was last published. */
    public void acquireMap(Address.Global map) {
        Objects.requireNonNull(map, "map");
        issue(new FenceProxyTensormapAcquire(), Input.of(map));
    }

    /** Publishes the tensor maps that this thread wrote to global memory by ordinary stores. */
    public void releaseMaps() {
        issue(new FenceProxyTensormapRelease());
    }

    /** Initialises a barrier whose phases each take {@code arrivals} arrivals (1 to 2^20 - 1). */
    public void barrierInit(Address.Barrier barrier, int arrivals) {
        Objects.requireNonNull(barrier, "barrier");
        barrierInit(barrier, Expr.of(arrivals));
    }

    /** Initialises a barrier whose phases each take {@code arrivals} arrivals (32 bits, 1 to 2^20 - 1). */
    public void barrierInit(Address.Barrier barrier, Expr arrivals) {
        NotNull.all("barrier, arrivals", barrier, arrivals);
        arrivals.constant().ifPresent(n -> {
            if (n < 1 || n >= 1 << 20) {
                throw new IllegalArgumentException("arrivals must be in [1, 1048575], got " + n);
            }
        });
        issue(new MbarrierInit(), Input.of(barrier), Input.of(arrivals));
    }

    /** Makes freshly initialised barriers known to the asynchronous proxy. */
    public void barrierInitFence() {
        issue(new FenceMbarrierInit());
    }

    /** Arrives once. */
    public ArriveStep arrive(Address.Barrier barrier) {
        Objects.requireNonNull(barrier, "barrier");
        Map<String, Input> inputs = new LinkedHashMap<>();
        inputs.put("mbar", Input.of(barrier));
        return new ArriveStep(this, new MbarrierArrive(), inputs);
    }

    /**
     * Arrives once at a barrier of another block of the cluster, releasing at cluster scope.
     *
     * @param barrier as this block has it
     * @param rank of the other block, 32 bits
     */
    public ArriveStep arriveRemote(Address.Barrier barrier, Expr rank) {
        NotNull.all("barrier, rank", barrier, rank);
        Map<String, Input> inputs = new LinkedHashMap<>();
        inputs.put("mbar", there("barrier_there", barrier, rank));
        return new ArriveStep(this, new MbarrierArrive().withSpace(Space.SHARED_CLUSTER)
                .withOrder(ArriveOrder.RELEASE_CLUSTER), inputs);
    }

    /** Arrives once at a barrier of the block of this rank in the cluster, releasing at cluster scope. */
    public ArriveStep arriveRemote(Address.Barrier barrier, int rank) {
        return arriveRemote(barrier, Expr.of(rank));
    }

    /**
     * Stores values into the shared memory of a block of the cluster ({@code st.async}); a barrier of that block counts
     * their bytes: wait for it there. Needs sm_90.
     *
     * @param to where, at a multiple of the values' bytes
     * @param barrier as this block has it
     * @param values one, two or four of one type, 32 or 64 bits wide; four of 32 bits only
     */
    public void storeAsync(Address.Remote to, Address.Barrier barrier, Value... values) {
        NotNull.all("to, barrier, values", to, barrier, values);
        ValueType type = Operation.StoreValues.typeOf(List.of(values));
        StAsync form = new StAsync(type.bits() == Long.SIZE ? DataType.B64 : DataType.B32)
                .withVector(StAsync.Vector.of(values.length));
        List<Input> inputs = new ArrayList<>();
        inputs.add(there(to));
        for (Value value : values) {
            inputs.add(Input.of(value));
        }
        inputs.add(there("barrier_there", barrier, to.rank()));
        issue(form, inputs.toArray(Input[]::new));
    }

    /**
     * Updates a value in the shared memory of a block of the cluster atomically ({@code red.async}, relaxed, cluster
     * scope); a barrier of that block counts its bytes: wait for it there. Needs sm_90.
     *
     * @param op and, or, xor of 32 bits; add of integers; inc, dec of u32; min, max of integers of 32 bits
     * @param to what is updated, at a multiple of the value's bytes
     * @param barrier as this block has it
     * @param value 32 or 64 bits wide, of the type of what is there
     */
    public void reduceAsync(AtomicOp op, Address.Remote to, Address.Barrier barrier, Value value) {
        NotNull.all("op, to, barrier, value", op, to, barrier, value);
        issue(new RedAsync(op, AtomicStep.dataType(op, value.type())), there(to), Input.of(value),
                there("barrier_there", barrier, to.rank()));
    }

    /** Announces {@code bytes} (32 bits) for the current phase and arrives once. */
    public ArriveExpectTxStep arriveExpectTx(Address.Barrier barrier, Expr bytes) {
        NotNull.all("barrier, bytes", barrier, bytes);
        Map<String, Input> inputs = new LinkedHashMap<>();
        inputs.put("mbar", Input.of(barrier));
        inputs.put("bytes", Input.of(bytes));
        return new ArriveExpectTxStep(this, new MbarrierArriveExpectTx(), inputs);
    }

    /** Announces {@code bytes} for the current phase and arrives once. */
    public ArriveExpectTxStep arriveExpectTx(Address.Barrier barrier, int bytes) {
        return arriveExpectTx(barrier, Expr.of(bytes));
    }

    /** Announces {@code bytes} for the current phase without arriving. */
    public void expectTx(Address.Barrier barrier, int bytes) {
        expectTx(barrier, Expr.of(bytes));
    }

    /** Announces {@code bytes} (32 bits) for the current phase without arriving. */
    public void expectTx(Address.Barrier barrier, Expr bytes) {
        NotNull.all("barrier, bytes", barrier, bytes);
        issue(new MbarrierExpectTx(), Input.of(barrier), Input.of(bytes));
    }

    /** Waits until the phase that the token names has completed. Acquires at CTA scope. */
    public WaitStep waitToken(Address.Barrier barrier, Token token) {
        NotNull.all("barrier, token", barrier, token);
        return new WaitStep(this, order -> new MbarrierTryWait().withOrder(order),
                order -> new MbarrierTestWait().withOrder(order),
                List.of(Input.of(barrier), Input.of(token.value())));
    }

    /** Waits until the phase of this parity (32 bits, 0 or 1) has completed. Acquires at CTA scope. */
    public WaitStep waitParity(Address.Barrier barrier, Expr parity) {
        NotNull.all("barrier, parity", barrier, parity);
        return new WaitStep(this, order -> new MbarrierTryWaitParity().withOrder(order),
                order -> new MbarrierTestWaitParity().withOrder(order),
                List.of(Input.of(barrier), Input.of(parity)));
    }

    /** Waits until the phase of this parity, 0 or 1, has completed. Acquires at CTA scope. */
    public WaitStep waitParity(Address.Barrier barrier, int parity) {
        return waitParity(barrier, Expr.of(parity));
    }

    /** Waits for a while until the phase that the token names has completed, and says whether it has. Needs sm_90. */
    public TryWaitStep tryWaitToken(Address.Barrier barrier, Token token) {
        NotNull.all("barrier, token", barrier, token);
        Map<String, Input> inputs = new LinkedHashMap<>();
        inputs.put("mbar", Input.of(barrier));
        inputs.put("token", Input.of(token.value()));
        return new TryWaitStep(this, order -> new MbarrierTryWait().withOrder(order),
                order -> new MbarrierTryWait().withOrder(order).withTimeLimit(), inputs);
    }

    /**
     * Waits for a while until the phase of this parity has completed, and says whether it has. Needs sm_90.
     *
     * @param parity 32 bits, 0 or 1
     */
    public TryWaitStep tryWaitParity(Address.Barrier barrier, Expr parity) {
        NotNull.all("barrier, parity", barrier, parity);
        Map<String, Input> inputs = new LinkedHashMap<>();
        inputs.put("mbar", Input.of(barrier));
        inputs.put("parity", Input.of(parity));
        return new TryWaitStep(this, order -> new MbarrierTryWaitParity().withOrder(order),
                order -> new MbarrierTryWaitParity().withOrder(order).withTimeLimit(), inputs);
    }

    /** Waits for a while until the phase of this parity, 0 or 1, has completed, and says whether it has. */
    public TryWaitStep tryWaitParity(Address.Barrier barrier, int parity) {
        return tryWaitParity(barrier, Expr.of(parity));
    }
}
