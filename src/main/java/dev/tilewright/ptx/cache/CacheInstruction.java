package dev.tilewright.ptx.cache;

import dev.tilewright.ptx.PtxInstruction;

/**
 * Hints to the caches, the policies that copies take, and stores that take one. Sources: PTX ISA, "prefetch", "applypriority", "discard",
 * "createpolicy", "st".
 */
public sealed interface CacheInstruction extends PtxInstruction
        permits ApplyPriority, CreatePolicyCvt,
        CreatePolicyFractional, CreatePolicyRange, Discard, Prefetch, PrefetchTensormap, PrefetchUniform,
        StCacheHint {
}
