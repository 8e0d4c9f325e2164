package dev.tilewright.ptx.mbarrier;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.updates;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import dev.tilewright.ptx.form.Require;
import java.util.List;
import java.util.Objects;

/**
 * {@code cp.async.mbarrier.arrive}: makes an mbarrier arrival follow the thread's earlier cp.async copies. Inputs, in
 * order: {@code mbar}.
 *
 * @param noinc whether the barrier's initial count includes this arrival; if not, the arrival is counted in addition
 * @param space where the barrier is: generic, or the block's own shared memory
 */
@About(section = "cp.async.mbarrier.arrive", role = StepRole.ARRIVAL,
        summary = "makes an mbarrier arrival follow the thread's earlier cp.async copies")
public record CpAsyncMbarrierArrive(boolean noinc, Space space) implements MbarrierArrival {
    public CpAsyncMbarrierArrive {
        Objects.requireNonNull(space, "space");
        Require.space("cp.async.mbarrier.arrive", space, Require.OWN_SHARED, CpAsyncMbarrierArrive.class);
    }

    /** The form for the block's own shared memory, counted in addition. */
    public CpAsyncMbarrierArrive() {
        this(false, Space.SHARED_CTA);
    }

    /** One of the arrivals that the barrier was initialised for. */
    public CpAsyncMbarrierArrive withNoinc() {
        return new CpAsyncMbarrierArrive(true, space);
    }

    /** At a barrier in this space. */
    public CpAsyncMbarrierArrive withSpace(Space space) {
        return new CpAsyncMbarrierArrive(noinc, space);
    }

    @Override
    public Form form() {
        return FormBuilder.form("cp.async.mbarrier.arrive").withIf(noinc, ".noinc").with(space).with(".b64")
                .operand(Operands.destination(space, "mbar"))
                .needs(Gates.of(space), Completion.MBARRIER_ARRIVAL, updates("mbar", Proxy.GENERIC, bytes(8)));
    }

    @Override
    public List<PtxInstruction> spellings() {
        return MbarrierInstruction.spellings(this, space, this::withSpace);
    }
}
