package dev.tilewright.verify.draw;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cache.PrefetchTensormap;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.memory.AddressSpace;
import dev.tilewright.ptx.memory.Cvta;
import dev.tilewright.ptx.memory.Isspacep;
import dev.tilewright.ptx.warp.WarpInstruction;
import java.util.Optional;

/**
 * Where a form's addresses lead: into its part's shared and global memory, and the second block's. What has no address
 * of its own kind, as {@code cvta}, is given one of them as a number.
 */
final class FormAddresses {
    private static final Expr T = Builtin.THREAD;
    /** Into shared and global memory, where a form has a source and a destination. */
    private static final int SHARED_SOURCE = 1024;
    private static final int GLOBAL_AT = 128;
    /** What a thread has for itself. */
    private static final int OWN_BYTES = 32;

    private final FormProgram program;
    private final FormPart part;
    private final PtxInstruction form;
    private final FormChoices drawn;
    private final Optional<Parameter.TensorMap> map;
    private Expr peer;
    private Expr peerBarrier;
    private Expr address;

    FormAddresses(FormProgram program, FormPart part, FormChoices drawn) {
        this.program = program;
        this.part = part;
        this.form = drawn.form();
        this.drawn = drawn;
        this.map = drawn.box().map(b -> new Parameter.TensorMap("map_" + part.number(), b.map().rank()))
                .or(() -> form instanceof PrefetchTensormap
                ? Optional.of(new Parameter.TensorMap("map_" + part.number(), 2)) : Optional.empty());
    }

    /** The tensor map that it is given. */
    Optional<Parameter.TensorMap> map() {
        return map;
    }

    /** The part's barrier as a form of this space has it. */
    Input mbar(Space space) {
        return space == Space.SHARED_CLUSTER ? Input.of(peerBarrier) : Input.of(part.firstBarrier());
    }

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
        return of(changed) instanceof Input.Place(Address.Global g)
                ? new Address.Global(g.pointer(), g.byteOffset().plus(offset))
                : part.buffer().at(offset);
    }

    /** What an operand that is an address, or a tensor map, is given. */
    Input of(Operand o) {
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
            default -> throw new IllegalStateException(form.opcode() + ": " + o.name() + " is no address");
        };
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

    /** The number that an operand of 32 or 64 bits is given for an address. */
    Expr asked(Body body, Operand o) {
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
}
