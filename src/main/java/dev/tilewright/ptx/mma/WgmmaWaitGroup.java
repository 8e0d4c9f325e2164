package dev.tilewright.ptx.mma;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.OneOf;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import dev.tilewright.ptx.form.Require;

/**
 * {@code wgmma.wait_group}: waits until at most n of the warpgroup's groups of products are pending. Those waited for
 * have read their matrices, and their registers are the threads' again.
 *
 * @param pending groups, the youngest ones, that may still be in flight
 * @param sums registers of f32 sums that are the threads' again, named to it so that no compiler reads them earlier: it
 *     knows of no other reason not to while further groups are in flight. Input {@code d}, where there are any
 */
@About(section = "wgmma.wait_group", role = StepRole.WAIT,
        summary = "waits until at most n of the warpgroup's groups of products are pending")
public record WgmmaWaitGroup(@OneOf(0) int pending, @OneOf(0) int sums) implements MmaInstruction {
    private static final int MOST_SUMS = 128;

    public WgmmaWaitGroup {
        Require.pending(pending, WgmmaWaitGroup.class);
        if (sums < 0 || sums > MOST_SUMS) {
            throw new IllegalFormException("a thread has at most " + MOST_SUMS + " sums of a product, got " + sums,
                    WgmmaWaitGroup.class);
        }
    }

    /** A wait that does not name its registers to the compiler. */
    public WgmmaWaitGroup(int pending) {
        this(pending, 0);
    }

    /** A wait that hands back this many sums. */
    public WgmmaWaitGroup withSums(int registers) {
        return new WgmmaWaitGroup(pending, registers);
    }

    @Override
    public Form form() {
        FormBuilder form = FormBuilder.form("wgmma.wait_group.sync.aligned").immediate("n", pending);
        return (sums == 0 ? form : form.unnamed(Operands.updated("d", Operand.Kind.F32_REGISTERS, sums)))
                .named("wgmma_wait_group_" + pending + (sums == 0 ? "" : "_of_" + sums))
                .needs(Gates.WGMMA, EffectsBuilder.waitingFor(Effects.Wait.WGMMA_GROUPS));
    }

    @Override
    public String summary() {
        return pending == 0 ? "waits until the warpgroup's groups of products have completed"
                : "waits until at most " + pending + " of the warpgroup's groups of products are pending";
    }
}
