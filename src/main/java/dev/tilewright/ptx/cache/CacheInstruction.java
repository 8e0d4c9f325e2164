package dev.tilewright.ptx.cache;

import dev.tilewright.ptx.PtxInstruction;

/**
 * Hints to the caches, and the policies that copies take. Sources: PTX ISA, "prefetch", "applypriority", "discard",
 * "createpolicy".
 */
public sealed interface CacheInstruction extends PtxInstruction
        permits ApplyPriority, CreatePolicyCvt,
        CreatePolicyFractional, CreatePolicyRange, Discard, Prefetch, PrefetchTensormap, PrefetchUniform { }
