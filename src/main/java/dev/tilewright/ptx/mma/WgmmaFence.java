package dev.tilewright.ptx.mma;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/**
 * {@code wgmma.fence}: orders the warpgroup's earlier accesses to registers before those of {@code wgmma.mma_async}
 * that follow. It is needed before the first product, and whenever registers of A or D were touched in between, but not
 * between products of one shape that add to the same D. What was stored to shared memory needs a proxy fence besides.
 */
@About(section = "wgmma.fence", role = StepRole.FENCE,
        summary = "orders earlier accesses to registers before the products that a warpgroup starts next")
public record WgmmaFence() implements MmaInstruction {
    @Override
    public Form form() {
        return FormBuilder.form("wgmma.fence.sync.aligned").needs(Gates.WGMMA);
    }
}
