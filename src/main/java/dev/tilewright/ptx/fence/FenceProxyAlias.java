package dev.tilewright.ptx.fence;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/** {@code fence.proxy.alias}: orders accesses to the same memory through different virtual addresses. */
@About(section = "membar / fence", role = StepRole.FENCE,
        summary = "orders accesses to the same memory through different virtual addresses")
public record FenceProxyAlias() implements FenceInstruction {
    @Override
    public Form form() {
        return FormBuilder.form("fence.proxy.alias").needs(Gates.FENCE_ALIAS);
    }
}
