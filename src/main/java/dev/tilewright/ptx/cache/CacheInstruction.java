package dev.tilewright.ptx.cache;

import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.StepRole;

/**
 * Hints to the caches, and the policies that copies take. Sources: PTX ISA, "prefetch", "applypriority", "discard",
 * "createpolicy".
 */
public sealed interface CacheInstruction extends PtxInstruction
        permits ApplyPriority, CreatePolicyCvt,
        CreatePolicyFractional, CreatePolicyRange, Discard, Prefetch, PrefetchTensormap, PrefetchUniform {
    @Override
    default StepRole role() {
        return StepRole.OTHER;
    }
}
