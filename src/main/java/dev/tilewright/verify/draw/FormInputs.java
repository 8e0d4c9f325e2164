package dev.tilewright.verify.draw;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cache.CreatePolicyFractional;
import dev.tilewright.ptx.cache.EvictionPriority;
import dev.tilewright.ptx.cache.PrefetchTensormap;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import dev.tilewright.ptx.mbarrier.ArriveResult;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierCompleteTx;
import dev.tilewright.ptx.mbarrier.MbarrierExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierTestWaitParity;
import dev.tilewright.ptx.mbarrier.MbarrierWait;
import dev.tilewright.ptx.mbarrier.TxOrder;
import dev.tilewright.ptx.memory.AddressSpace;
import dev.tilewright.ptx.memory.Cvta;
import dev.tilewright.ptx.memory.Isspacep;
import dev.tilewright.ptx.tensormap.TensormapReplace;
import dev.tilewright.ptx.warp.MatchSync;
import dev.tilewright.ptx.warp.WarpInstruction;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a form is given: drawn numbers, words of the source, places of its own, all of them valid. */
final class FormInputs {
    private static final Expr T = Builtin.THREAD;
    /** Into shared and global memory, where a form has a source and a destination. */
    private static final int SHARED_SOURCE = 1024;
    private static final int GLOBAL_AT = 128;
    /** What a thread has for itself. */
    private static final int OWN_BYTES = 32;
    /** cuda.h has no name for it: the access property of usual accesses. */
    private static final long NORMAL_PROPERTY = 0x10F0_0000_0000_0000L;
    private static final int ONE_HALF = 0x3F00_0000;

    private final FormProgram program;
    private final FormPart part;
    private final PtxInstruction form;
    private final boolean polled;
    private final FormChoices drawn;
    private final Optional<Parameter.TensorMap> map;
    private final Map<Operand, Register> registers = new LinkedHashMap<>();
    private Expr peer;
    private Expr peerBarrier;
    private Expr address;

    FormInputs(FormProgram program, FormPart part, boolean polled, FormChoices drawn) {
        this.program = program;
        this.part = part;
        this.form = drawn.form();
        this.polled = polled;
        this.drawn = drawn;
        this.map = drawn.box().map(b -> new Parameter.TensorMap("map_" + part.number(), b.map().rank()))
                .or(() -> form instanceof PrefetchTensormap
                ? Optional.of(new Parameter.TensorMap("map_" + part.number(), 2)) : Optional.empty());
    }

    Optional<Parameter.TensorMap> map() {
        return map;
    }

    /** The registers that it was given, by operand. */
    Map<Operand, Register> registers() {
        return registers;
    }

    // ---- barriers

    Input mbar(Space space) {
        return space == Space.SHARED_CLUSTER ? Input.of(peerBarrier) : Input.of(part.firstBarrier());
    }

    PtxInstruction complete(Space space) {
        return space == Space.SHARED_CLUSTER
                ? new MbarrierCompleteTx().withOrder(TxOrder.RELAXED_CLUSTER).withSpace(Space.SHARED_CLUSTER)
                : new MbarrierCompleteTx();
    }

    PtxInstruction expect(Space space) {
        return space == Space.SHARED_CLUSTER
                ? new MbarrierExpectTx().withOrder(TxOrder.RELAXED_CLUSTER).withSpace(Space.SHARED_CLUSTER)
                : new MbarrierExpectTx();
    }

    void arrive(Body body, Space space) {
        if (space == Space.SHARED_CLUSTER) {
            body.issue(new MbarrierArrive().withOrder(ArriveOrder.RELEASE_CLUSTER).withSpace(Space.SHARED_CLUSTER),
                    Input.of(peerBarrier));
        } else {
            body.issue(new MbarrierArrive().withResult(ArriveResult.SINK), Input.of(part.firstBarrier()));
        }
    }

    // ---- addresses

    /** What all threads know before: addresses in the other block. */
    void prepare(Body body) {
        if (form.inputs().stream().anyMatch(o -> o.kind() == Operand.Kind.CLUSTER_ADDRESS)
                || Forms.isOfHopper(form) && drawn.has("address")) {
            peer = body.issue("peer_" + part.number(), Mapa.ofShared(), Input.of(part.buffer().at(0)), Input.of(1));
            peerBarrier = body.issue("peer_barrier_" + part.number(), Mapa.ofShared(), Input.of(part.firstBarrier()),
                    Input.of(1));
        }
    }

    /** An address in the part's global memory. */
    Address.Global global(Expr offset) {
        return new Address.Global(FormProgram.MEMORY, offset.plus(program.memoryAt(part) + GLOBAL_AT));
    }

    /** Where the tensor map lies that a form changes. @param offset into it */
    Address map(int offset) {
        Operand changed = form.inputs().getFirst();
        return input(null, changed, null, 0) instanceof Input.Place(Address.Global g)
                ? new Address.Global(g.pointer(), g.byteOffset().plus(offset))
                : part.buffer().at(offset);
    }

    private Expr own() {
        return Forms.isOfEachThread(form) || form instanceof WarpInstruction ? T.times(OWN_BYTES) : Expr.of(0);
    }

    private Address.Shared shared(Operand o) {
        boolean source = o.name().equals("src") && drawn.has("dst") && form.inputs().stream().anyMatch(i ->
                i.name().equals("dst") && (i.kind() == Operand.Kind.CLUSTER_ADDRESS
                        || i.kind() == Operand.Kind.SHARED_ADDRESS));
        return part.buffer().at(own().plus(source ? SHARED_SOURCE : drawn.sharedAt()));
    }

    /** The address that one which is asked about or converted is, before. */
    Expr ownAddress() {
        return address;
    }

    private Expr asked(Body body, Operand o) {
        Expr own = part.buffer().address();
        AddressSpace block = Forms.isOfHopper(form) ? AddressSpace.SHARED_CTA : AddressSpace.SHARED;
        switch (form) {
            case Cvta f -> {
                address = f.space() == AddressSpace.GLOBAL ? FormProgram.RESULT.deviceAddress()
                        : f.space() == AddressSpace.SHARED_CLUSTER ? peer.toS64() : own.toS64();
                return f.toSpace() ? generic(body, f.space(), address) : address;
            }
            case Isspacep _ -> {
                return drawn.oneOfThree() == 0 ? FormProgram.RESULT.deviceAddress()
                        : drawn.oneOfThree() == 1 || peer == null
                        ? generic(body, block, own.toS64()) : generic(body, AddressSpace.SHARED_CLUSTER, peer.toS64());
            }
            case Mapa f -> {
                return !f.shared() ? generic(body, AddressSpace.SHARED_CTA, own.toS64()) : f.wide() ? own.toS64() : own;
            }
            default -> {
                boolean shared = form.opcode().contains(".shared");
                return !shared ? generic(body, AddressSpace.SHARED_CLUSTER, peer.toS64())
                        : o.kind().isWide() ? peer.toS64() : peer;
            }
        }
    }

    private Expr generic(Body body, AddressSpace space, Expr from) {
        return body.issue("generic_" + part.number(), Cvta.from(space), Input.of(from));
    }

    // ---- inputs

    List<Input> inputs(Body body) {
        List<Input> all = new ArrayList<>();
        int word = 0;
        Expr token = drawn.has("token") || form instanceof MbarrierWait
                ? body.arrive(part.firstBarrier()).token("phase_" + part.number()).value() : null;
        for (Operand o : form.inputs()) {
            all.add(input(body, o, token, word++));
        }
        return all;
    }

    private Input input(Body body, Operand o, Expr token, int word) {
        boolean mbar = o.name().equals("mbar");
        return switch (o.kind()) {
            case SHARED_ADDRESS -> Input.of(mbar ? part.barrier() : shared(o));
            case CLUSTER_ADDRESS -> drawn.has("cta_mask") ? Input.of(mbar ? part.firstBarrier() : shared(o))
                    : Input.of(mbar ? peerBarrier : peer.plus(own()).plus(drawn.sharedAt()));
            case GLOBAL_ADDRESS, GLOBAL_DESTINATION -> Input.of(global(own()));
            case GENERIC_ADDRESS, GENERIC_DESTINATION -> mbar ? Input.of(part.barrier())
                    : form instanceof PrefetchTensormap ? Input.of(map.orElseThrow())
                    : drawn.genericIsGlobal() && !(form instanceof WarpInstruction) ? Input.of(global(own()))
                    : Input.of(shared(o));
            case TENSOR_MAP -> Input.of(map.orElseThrow());
            case COORDINATE -> Input.of(drawn.box().orElseThrow().coordinates()[o.name().charAt(1) - '0']);
            case TOKEN -> Input.of(token);
            case B32_REGISTERS, S32_REGISTERS, F32_REGISTERS, F64_REGISTERS -> Input.of(registers(body, o, word));
            default -> Input.of(number(body, o, word));
        };
    }

    private Register registers(Body body, Operand o, int word) {
        ValueType type = Register.typeOf(o);
        Register register = body.registers(o.name() + "_" + part.number(), type, o.count());
        registers.put(o, register);
        if (o.access().reads()) {
            for (int r = 0; r < o.count(); r++) {
                body.load(register, Expr.of(r), 1, program.word(part.number(), word + r));
            }
        }
        return register;
    }

    private Expr number(Body body, Operand o, int word) {
        boolean wide = o.kind().isWide();
        return switch (o.name()) {
            case "bytes" -> Expr.of(drawn.bytes());
            case "src_bytes" -> Expr.of(Math.min(drawn.below32(), (int) form.effects().accesses().stream()
                    .filter(a -> a.operand().equals("dst")).map(a -> ((Effects.Extent.Fixed) a.extent()).bytes())
                    .findFirst().orElseThrow()));
            case "cta_mask" -> Expr.of(3);
            case "count", "arrivals" -> Expr.of(drawn.arriving());
            case "threads" -> Expr.of(program.threads());
            case "barrier" -> Expr.of(1 + part.number());
            case "members" -> Expr.of(-1);
            case "lane" -> Expr.of(drawn.below32());
            case "clamp" -> Expr.of(drawn.oneOfThree() == 0 ? 0x1F : drawn.oneOfThree() == 1 ? 0 : 0x181F);
            case "parity" -> Expr.of(!polled && form instanceof MbarrierTestWaitParity ? drawn.missingArrivals() : 0);
            case "time_limit" -> Expr.of(10_000);
            case "nanoseconds" -> Expr.of(drawn.below32());
            case "policy" -> body.issue("policy_" + part.number(),
                    new CreatePolicyFractional(EvictionPriority.EVICT_FIRST));
            case "property" -> Expr.of(NORMAL_PROPERTY);
            case "fraction" -> Expr.of(ONE_HALF);
            case "primary_bytes" -> Expr.of(1024);
            case "total_bytes" -> Expr.of(4096);
            case "cta" -> Expr.of(drawn.oneOfThree() & 1);
            case "address" -> asked(body, o);
            case "offset0", "offset1", "offset2" ->
                    Expr.of(drawn.box().orElseThrow().offsets()[o.name().charAt(6) - '0']);
            case "predicate", "ignore_src" -> loaded(body, false, word).bitAnd(1);
            case "value" -> form instanceof TensormapReplace f ? replaced(f)
                    : form instanceof MatchSync ? matched(loaded(body, wide, word), wide) : loaded(body, wide, word);
            case "value0", "value1", "value2", "value3", "replacement" -> loaded(body, wide, word);
            default -> throw new IllegalStateException(form.opcode() + " takes " + o.name()
                    + ", of which nothing is known");
        };
    }

    private Expr loaded(Body body, boolean wide, int word) {
        return body.load("word_" + part.number(), wide ? ValueType.I64 : ValueType.I32,
                program.word(part.number(), word)).toIndex();
    }

    /** One of a few values, so that lanes have equals. */
    private static Expr matched(Expr word, boolean wide) {
        return wide ? word.bitAnd(Expr.of(3L)) : word.bitAnd(3);
    }

    /** What the field of a tensor map can be. */
    private Expr replaced(TensormapReplace f) {
        return switch (f.field()) {
            case GLOBAL_ADDRESS -> Expr.of(0x7F12_3456_7800L + 16L * drawn.below32());
            case RANK -> Expr.of(drawn.below32() % 5);
            case BOX_DIM -> Expr.of(1 + 8 * drawn.below32());
            case GLOBAL_DIM -> Expr.of(1 + 123_456 * drawn.below32());
            case GLOBAL_STRIDE -> Expr.of(16L + 0x12_3456_7890L / 32 * drawn.below32() / 16 * 16);
            case ELEMENT_STRIDE -> Expr.of(1 + drawn.below32() % 8);
            default -> Expr.of(0);
        };
    }
}
