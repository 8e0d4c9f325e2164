package dev.tilewright.reference;

import dev.tilewright.layout.MatrixDescriptor;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Body;
import dev.tilewright.program.Operation;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Token;
import dev.tilewright.program.expression.Value;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.cache.Discard;
import dev.tilewright.ptx.cache.PrefetchTensormap;
import dev.tilewright.ptx.cluster.BarrierClusterArrive;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import dev.tilewright.ptx.cluster.ClusterLaunchControlTryCancel;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.copy.LoadMode;
import dev.tilewright.ptx.copy.TensorLoad;
import dev.tilewright.ptx.copy.TensorPrefetch;
import dev.tilewright.ptx.copy.TensorReduce;
import dev.tilewright.ptx.copy.TensorStore;
import dev.tilewright.ptx.fence.FenceProxyTensormapAcquire;
import dev.tilewright.ptx.mbarrier.MbarrierInit;
import dev.tilewright.ptx.mbarrier.MbarrierWait;
import dev.tilewright.ptx.memory.AddressSpace;
import dev.tilewright.ptx.memory.Cvta;
import dev.tilewright.ptx.memory.ScopedAccess;
import dev.tilewright.ptx.mma.MmaInstruction;
import dev.tilewright.ptx.mma.MmaSync;
import dev.tilewright.ptx.mma.Movmatrix;
import dev.tilewright.ptx.mma.Wgmma;
import dev.tilewright.ptx.tensormap.TensormapCpFenceproxy;
import dev.tilewright.ptx.warp.WarpInstruction;
import dev.tilewright.reference.compile.Binding;
import dev.tilewright.tensormap.Im2colTensorMap;
import dev.tilewright.tensormap.Im2colWideMode;
import dev.tilewright.tensormap.Im2colWideTensorMap;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The smallest kernel that performs one form of an instruction validly: a cluster of two blocks of one warp each, of
 * which thread 0 of block 0 performs it, or a whole warp where it takes one. Addresses in the cluster's shared memory
 * are those of block 1; what an mbarrier counts is announced before and waited for afterwards.
 */
final class FormKernel {
    static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    static final SharedRegion.Barriers BARRIERS = new SharedRegion.Barriers("ready", 2);
    static final SharedRegion.Buffer BUFFER = new SharedRegion.Buffer("buffer", 8192, 1024);
    /** Where the buffer begins in shared memory. */
    static final int BUFFER_START = 1024;
    /** Bytes of a copy whose form does not fix them, and arrivals where they are counted. */
    static final int BYTES = 32;
    static final int COUNT = 2;
    static final int SOURCE_BYTES = 2;
    static final int MASK = 3;
    /** Into the buffer and into global memory. */
    static final int SHARED_SOURCE = 512;
    static final int GLOBAL_AT = 128;

    private static final Expr T = Builtin.THREAD;
    private static final Expr RANK = Builtin.CLUSTER_RANK;
    private static final int DIM = 4;
    private static final int ELEMENT = 4;

    private final PtxInstruction form;
    private final boolean genericIsGlobal;
    private final boolean polled;
    private final Parameter.TensorMap map;

    /**
     * @param genericIsGlobal where generic addresses point @param polled whether it is repeated until a condition holds
     */
    FormKernel(PtxInstruction form, boolean genericIsGlobal, boolean polled) {
        this.form = form;
        this.genericIsGlobal = genericIsGlobal || form instanceof Discard || form instanceof FenceProxyTensormapAcquire
                || form instanceof TensormapCpFenceproxy;
        this.polled = polled;
        this.map = new Parameter.TensorMap("map", mode() == LoadMode.GATHER4 ? 2 : Math.max(1,
                count(Operand.Kind.COORDINATE)));
    }

    /** Whether some address may be in shared or in global memory. */
    static boolean hasGeneric(PtxInstruction form) {
        return !(form instanceof WarpInstruction || form instanceof ClusterLaunchControlTryCancel)
                && form.inputs().stream().anyMatch(o -> !o.name().equals("mbar")
                && (o.kind() == Operand.Kind.GENERIC_ADDRESS || o.kind() == Operand.Kind.GENERIC_DESTINATION));
    }

    /** Whether the reference can repeat it until a condition holds. */
    static boolean canBePolled(PtxInstruction form) {
        return form instanceof MbarrierWait || form instanceof ScopedAccess && form.results().size() == 1;
    }

    boolean isPolled() {
        return polled;
    }

    private int count(Operand.Kind kind) {
        return (int) form.inputs().stream().filter(o -> o.kind() == kind).count();
    }

    boolean has(String operand) {
        return form.inputs().stream().anyMatch(o -> o.name().equals(operand));
    }

    Operand operand(String name) {
        return form.inputs().stream().filter(o -> o.name().equals(name)).findFirst().orElseThrow();
    }

    /** Whether an address operand points to shared memory. */
    boolean isShared(Operand operand) {
        return switch (operand.kind()) {
            case SHARED_ADDRESS, CLUSTER_ADDRESS -> true;
            case GENERIC_ADDRESS, GENERIC_DESTINATION -> !genericIsGlobal;
            default -> false;
        };
    }

    /** The blocks whose shared memory an address operand points to. */
    List<Integer> owners(Operand operand) {
        return (has("cta_mask") || form instanceof ClusterLaunchControlTryCancel f && f.multicast())
                && !operand.name().equals("src") ? List.of(0, 1)
                : operand.kind() == Operand.Kind.CLUSTER_ADDRESS ? List.of(1) : List.of(0);
    }

    /** The offset of an address operand, in the buffer or in global memory. */
    int offset(Operand operand) {
        return isShared(operand) ? operand.name().equals("src") && has("dst") ? SHARED_SOURCE : 0 : GLOBAL_AT;
    }

    private LoadMode mode() {
        return switch (form) {
            case TensorLoad f -> f.mode();
            case TensorPrefetch f -> f.mode();
            case TensorStore f -> f.mode().likeLoad();
            case TensorReduce f -> f.mode().likeLoad();
            default -> LoadMode.TILE;
        };
    }

    /** Elements of a row: 64 bytes of them where the map must have a swizzle, else 16. */
    private int inner() {
        return switch (mode()) {
            case TILE, GATHER4, IM2COL -> DIM;
            case IM2COL_W, IM2COL_W_128 -> 4 * DIM;
        };
    }

    /** Rows of the box. In tile mode the last one of two lies outside the tensor, of 128 pixels all but four. */
    private int rows() {
        return switch (mode()) {
            case TILE -> map.rank() > 1 ? 2 : 1;
            case GATHER4 -> 4;
            case IM2COL, IM2COL_W -> 1;
            case IM2COL_W_128 -> 128;
        };
    }

    /** Whether the box starts in the last slice along the outermost dimension. */
    private boolean startsAtTheEnd() {
        return mode() == LoadMode.TILE && rows() > 1 || mode() == LoadMode.IM2COL_W_128;
    }

    /** Bytes of the box in shared memory. */
    int boxBytes() {
        return inner() * ELEMENT * rows();
    }

    /** The bytes of the box that lie in the tensor, from the first to behind the last. */
    int[] boxInTensor() {
        int start = startsAtTheEnd() ? (int) tensorBytes() * (DIM - 1) / DIM : 0;
        return new int[] {start, start + inner() * ELEMENT * (mode() == LoadMode.IM2COL_W_128 ? DIM : 1)};
    }

    private long tensorBytes() {
        return ELEMENT * inner() * Math.round(Math.pow(DIM, map.rank() - 1));
    }

    /** How many bytes an access takes. */
    int bytes(Effects.Extent extent) {
        return switch (extent) {
            case Effects.Extent.Fixed(int bytes) -> bytes;
            case Effects.Extent.Counted(String operand) -> operand.equals("src_bytes") ? SOURCE_BYTES : BYTES;
            case Effects.Extent.Box() -> boxBytes();
            case Effects.Extent.Matrix() -> throw new AssertionError(form.opcode() + " is no copy");
        };
    }

    /** Bytes of a matrix in shared memory: it lies without gaps from the buffer's start on. */
    int matrixBytes(Effects.Access access) {
        return 32 * (access.operand().equals("a_desc") ? ((Wgmma) form).m() : ((Wgmma) form).n());
    }

    private boolean isOfWarpgroup() {
        return form instanceof MmaInstruction && !(form instanceof MmaSync || form instanceof Movmatrix);
    }

    /** The operand that a copy goes to. */
    String destination() {
        return form instanceof ClusterLaunchControlTryCancel ? "answer" : "dst";
    }

    /** Bytes that the form's copy counts on an mbarrier. */
    int counted() {
        return form.effects().accesses().stream().filter(a -> a.operand().equals(destination()))
                .mapToInt(a -> bytes(a.extent())).findFirst()
                .orElse(0);
    }

    boolean countsOnBarrier() {
        return form.effects().completion() == Effects.Completion.MBARRIER;
    }

    boolean isOfGroup() {
        return form.effects().completion() == Effects.Completion.BULK_GROUP;
    }

    private boolean isOfCluster() {
        return form instanceof BarrierClusterArrive || form instanceof BarrierClusterWait;
    }

    private boolean isOfWarp() {
        return form instanceof WarpInstruction || form instanceof TensormapCpFenceproxy
                || form instanceof MmaInstruction;
    }

    TileProgram program() {
        List<Parameter> parameters = usesMap() ? List.of(OUT, map) : List.of(OUT);
        return new TileProgram("one_form", "performs it", isOfWarpgroup() ? 128 : 32, 2, parameters,
                new SharedLayout(List.of(BARRIERS, BUFFER)),
                Body.steps(this::body));
    }

    /** The thread that reports what is done: the last one that comes, where a warp does something as one. */
    private int reportingThread() {
        return form instanceof TensormapCpFenceproxy ? 31 : 0;
    }

    private boolean usesMap() {
        return form instanceof PrefetchTensormap || count(Operand.Kind.TENSOR_MAP) > 0;
    }

    private void body(Body body) {
        body.when(T.isEqualTo(0), one -> {
            one.barrierInit(BARRIERS.at(0), countsOnBarrier() || form instanceof MbarrierWait ? 1 : 8);
            one.barrierInitFence();
        });
        body.clusterSync();
        Expr peer = body.issue("peer", Mapa.ofShared(), Input.of(BUFFER.at(0)), Input.of(1));
        Expr peerBarrier = body.issue("peer_barrier", Mapa.ofShared(), Input.of(BARRIERS.at(0)), Input.of(1));
        Expr generic = body.issue("generic", Cvta.from(AddressSpace.SHARED_CLUSTER), Input.of(peer.toS64()));
        Expr own = body.issue("own", Mapa.ofShared(), Input.of(BUFFER.at(0)), Input.of(RANK));
        Expr ownGeneric = body.issue("own_generic", Cvta.from(AddressSpace.SHARED_CLUSTER), Input.of(own.toS64()));
        Numbers numbers = new Numbers(peer, peerBarrier, own, generic, ownGeneric);
        if (countsOnBarrier()) {
            List<Integer> owners = owners(operand(destination()));
            body.when(T.isEqualTo(0), one -> owners.forEach(owner -> one.when(RANK.isEqualTo(owner),
                    there -> there.arriveExpectTx(BARRIERS.at(0), counted()))));
            body.when(isFirst(), one -> perform(one, numbers));
            body.when(T.isEqualTo(0), one -> owners.forEach(owner -> one.when(RANK.isEqualTo(owner),
                    there -> there.waitParity(BARRIERS.at(0), 0))));
        } else if (isOfCluster()) {
            if (form instanceof BarrierClusterWait) {
                body.issue(new BarrierClusterArrive());
            }
            perform(body, numbers);
            if (form instanceof BarrierClusterArrive) {
                body.issue(new BarrierClusterWait());
            }
        } else if (isOfWarp()) {
            body.when(RANK.isEqualTo(0), warp -> perform(warp, numbers));
        } else {
            body.when(isFirst(), one -> perform(one, numbers));
        }
        body.clusterSync();
    }

    private static Expr isFirst() {
        return T.isEqualTo(0).and(RANK.isEqualTo(0));
    }

    /** Addresses as numbers, in block 1's shared memory and in the own. */
    private record Numbers(Expr peer, Expr peerBarrier, Expr own, Expr generic, Expr ownGeneric) {
    }

    private void perform(Body body, Numbers numbers) {
        if (form instanceof FenceProxyTensormapAcquire) {
            body.releaseMaps();
        }
        form.operands().stream().filter(RegistersOf::isRegisters).forEach(o -> body.purpose("registers")
                .add(new Operation.Declare(RegistersOf.of(o), Optional.of(Value.ofBits(RegistersOf.of(o).type(), 0)),
                        false)));
        Token token = has("token") || form instanceof MbarrierWait
                ? body.arrive(BARRIERS.at(0)).token("phase") : null;
        List<Input> inputs = form.inputs().stream().map(o -> input(o, numbers, token)).toList();
        List<Expr.Var> results = form.results().stream()
                .map(o -> new Expr.Var("result_" + o.name(), o.kind().isWide() ? IntType.S64 : IntType.S32)).toList();
        body.purpose("perform").add(!polled ? new Operation.Issue(form, inputs, results)
                : form instanceof MbarrierWait ? new Operation.Poll(form, inputs, new Operation.Until.Done())
                : new Operation.Poll(form, inputs, new Operation.Until.Holds(results.getFirst(),
                        results.getFirst().isEqualTo(results.getFirst()))));
        if (isOfGroup()) {
            body.bulkCommit();
            body.bulkWait(0);
        }
    }

    private Input input(Operand o, Numbers numbers, Token token) {
        return switch (o.kind()) {
            case SHARED_ADDRESS -> o.name().equals("mbar") ? Input.of(BARRIERS.at(barrier()))
                    : Input.of(place(o));
            case CLUSTER_ADDRESS -> o.name().equals("mbar")
                    ? has("cta_mask") ? Input.of(BARRIERS.at(0)) : Input.of(numbers.peerBarrier)
                    : has("cta_mask") ? Input.of(place(o)) : Input.of(numbers.peer.plus(offset(o)));
            case GLOBAL_ADDRESS, GLOBAL_DESTINATION -> Input.of(global());
            case GENERIC_ADDRESS, GENERIC_DESTINATION -> o.name().equals("mbar")
                    ? Input.of(BARRIERS.at(barrier()))
                    : form instanceof PrefetchTensormap ? Input.of(map) : genericIsGlobal ? Input.of(global())
                    : Input.of(place(o));
            case TENSOR_MAP -> Input.of(map);
            case COORDINATE -> Input.of(startsAtTheEnd() && o.name().equals("c" + (map.rank() - 1)) ? DIM - 1 : 0);
            case TOKEN -> Input.of(token.value());
            case U128 -> new Input.Wide(Expr.of(0L), Expr.of(0L));
            case B32_REGISTERS, S32_REGISTERS, F32_REGISTERS, F64_REGISTERS -> Input.of(RegistersOf.of(o));
            default -> Input.of(number(o, numbers));
        };
    }

    /** The number of the barrier of the own block that the form uses. */
    int barrier() {
        return form instanceof MbarrierInit ? 1 : 0;
    }

    private Address.Global global() {
        return new Address.Global(OUT, GLOBAL_AT);
    }

    /** In the buffer; of a warp's matrices each thread has a row. */
    private Address.Shared place(Operand o) {
        return BUFFER.at(form instanceof WarpInstruction ? T.times(16) : Expr.of(offset(o)));
    }

    private Expr number(Operand o, Numbers numbers) {
        return switch (o.name()) {
            case "bytes" -> Expr.of(BYTES);
            case "src_bytes" -> Expr.of(SOURCE_BYTES);
            case "cta_mask" -> Expr.of(MASK);
            case "count" -> Expr.of(COUNT);
            case "threads" -> Expr.of(32);
            case "members", "byte_mask" -> Expr.of(-1);
            case "cta", "arrivals", "value", "replacement" -> o.kind().isWide() ? Expr.of(1L) : Expr.of(1);
            case "address" -> address(o, numbers);
            // Without a swizzle, 16 bytes by 8 rows after each other: along k, then along the other index.
            case "a_desc", "b_desc" -> Expr.of(new MatrixDescriptor(0, 128, 256, 0, Swizzle.NONE).encode())
                    .plus(numbers.own.dividedBy(16).toS64());
            default -> o.kind().isWide() ? Expr.of(0L) : Expr.of(0);
        };
    }

    private Expr address(Operand o, Numbers numbers) {
        return switch (form) {
            case Cvta f when f.space() == AddressSpace.GLOBAL -> OUT.deviceAddress();
            case Cvta f -> f.toSpace() ? numbers.ownGeneric : numbers.own.toS64();
            case Mapa f when f.shared() -> o.kind().isWide() ? numbers.peer.toS64() : numbers.peer;
            default -> o.kind().isWide() ? numbers.generic : numbers.peer;
        };
    }

    /** Runs it, and says what the step was seen to do. */
    RecordedEvents run() {
        TileProgram program = program();
        List<String> purposes = new StepNumbers(program).all().stream().map(s -> s.comment().orElse("")).toList();
        RecordedEvents events = new RecordedEvents(0, reportingThread(), purposes.indexOf("perform") + 1);
        Map<Parameter, Binding> bindings = new java.util.HashMap<>(
                Map.of(OUT, new Binding.Memory(MemorySegment.ofArray(new byte[1024]))));
        if (usesMap()) {
            bindings.put(map, new Binding.BoundTensorMap(tensorMap(),
                    MemorySegment.ofArray(new byte[(int) tensorBytes()])));
        }
        Execution.run(program, 2, bindings, ReferenceOptions.DEFAULT, events);
        return events;
    }

    private TensorMap tensorMap() {
        List<Long> dims = Stream.generate(() -> (long) DIM).limit(map.rank()).toList();
        List<Integer> box = new ArrayList<>(Stream.generate(() -> 1).limit(map.rank()).toList());
        long[] shape = dims.stream().mapToLong(d -> d).toArray();
        switch (mode()) {
            case TILE -> box.set(map.rank() - 1, rows());
            case GATHER4 -> { }
            case IM2COL -> {
                return Im2colTensorMap.innermostFirst(TensorDataType.UINT32).shape(shape).channels(DIM).pixels(1)
                        .build(Target.SM_90);
            }
            case IM2COL_W, IM2COL_W_128 -> {
                // With a swizzle, as the encoder wants it, and rows as long as its span: there are no gaps.
                shape[0] = inner();
                return Im2colWideTensorMap.innermostFirst(TensorDataType.UINT32).shape(shape).channels(inner())
                        .pixels(1)
                        .swizzle(Swizzle.B64).wideMode(mode() == LoadMode.IM2COL_W ? Im2colWideMode.W
                                : Im2colWideMode.W128)
                        .build(Target.SM_100);
            }
        }
        box.set(0, DIM);
        return TiledTensorMap.denseInnermostFirst(TensorDataType.UINT32, dims, box, Swizzle.NONE);
    }
}
