package dev.tilewright.program;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.PtxInstruction;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * A step whose only option is a cache policy: a bulk reduction, or a bulk prefetch.
 *
 * @param <F> the instruction
 */
public final class CacheHintStep<F extends PtxInstruction> extends IssuedStep<F> {
    private final UnaryOperator<F> hinted;

    CacheHintStep(ThreadSteps body, F form, UnaryOperator<F> hinted, Map<String, Input> inputs) {
        super(body, form, inputs);
        this.hinted = hinted;
    }

    /** @param policy 64 bits, of createpolicy */
    public CacheHintStep<F> cacheHint(Expr policy) {
        Objects.requireNonNull(policy, "policy");
        revise(hinted.apply(form()), "policy", Input.of(policy));
        return this;
    }
}
