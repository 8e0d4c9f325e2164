package dev.tilewright.tensormap.rules;

import dev.tilewright.ptx.Target;
import java.util.Objects;

/** The targets that a rule is for, by compute capability. */
public enum RuleTargets {
    ALL("every target", 0, 99),
    BEFORE_9("targets before sm_90", 0, 8),
    CC_9("sm_90", 9, 9),
    BEFORE_10("targets before sm_100", 0, 9),
    FROM_10("sm_100 and later", 10, 99);

    private final String text;
    private final int firstMajor;
    private final int lastMajor;

    RuleTargets(String text, int firstMajor, int lastMajor) {
        this.text = text;
        this.firstMajor = firstMajor;
        this.lastMajor = lastMajor;
    }

    /** Whether the rule holds for the target. */
    public boolean includes(Target target) {
        Objects.requireNonNull(target, "target");
        return target.major() >= firstMajor && target.major() <= lastMajor;
    }

    /** In words, for listings. */
    @Override
    public String toString() {
        return text;
    }
}
