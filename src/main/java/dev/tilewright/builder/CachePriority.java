package dev.tilewright.builder;

import dev.tilewright.program.Body;
import dev.tilewright.program.Expr;
import dev.tilewright.ptx.cache.CreatePolicyFractional;
import dev.tilewright.ptx.cache.EvictionPriority;
import java.util.Optional;

/** What becomes in L2 of the lines that copies read and write. */
public enum CachePriority {
    /** What the device does without advice. */
    NORMAL,
    /** They are the first to give way: each is used once, so that none keeps out another. */
    EVICT_FIRST;

    /** The advice that copies get, if any, for the steps that follow. */
    Optional<Expr> policy(Body body) {
        return this == NORMAL ? Optional.empty() : Optional.of(body.purpose("used once").issue("policy",
                new CreatePolicyFractional(EvictionPriority.EVICT_FIRST)));
    }
}
