package dev.tilewright.ptx.cache;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/**
 * {@code createpolicy.cvt}: makes a cache policy from an access property of CUDA's runtime. Inputs, in
 * order: {@code property}. Result: {@code policy}.
 */
@About(section = "createpolicy", role = StepRole.OTHER,
        summary = "makes a cache policy from an access property of CUDA's runtime")
public record CreatePolicyCvt() implements CacheInstruction {
    @Override
    public Form form() {
        return FormBuilder.form("createpolicy.cvt.L2.b64").operand("policy", Operand.Kind.U64_OUT)
                .operand("property", Operand.Kind.U64).needs(Gates.CACHE_HINTS);
    }
}
