package dev.tilewright.program;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.copy.CpAsync;
import java.util.Map;
import java.util.Objects;

/** Options of a {@code cp.async} copy. */
public final class CpAsyncStep extends IssuedStep<CpAsync> {
    CpAsyncStep(ThreadSteps body, CpAsync form, Map<String, Input> inputs) {
        super(body, form, inputs);
    }

    /** Reads only the first {@code bytes} (32 bits) of the source; the rest of the destination is filled with zeros. */
    public CpAsyncStep sourceBytes(Expr bytes) {
        Objects.requireNonNull(bytes, "bytes");
        revise(form().withSource(CpAsync.Source.SIZED), "src_bytes", Input.of(bytes));
        return this;
    }

    /** Reads only the first {@code bytes} of the source; the rest of the destination is filled with zeros. */
    public CpAsyncStep sourceBytes(int bytes) {
        return sourceBytes(Expr.of(bytes));
    }

    /** Reads nothing where this (32 bits) is not zero; the destination is filled with zeros then. */
    public CpAsyncStep ignoreSource(Expr ignored) {
        Objects.requireNonNull(ignored, "ignored");
        revise(form().withSource(CpAsync.Source.IGNORABLE), "ignore_src", Input.of(ignored));
        return this;
    }

    /** Keeps the line in L1 too. */
    public CpAsyncStep throughL1() {
        revise(form().withCache(CpAsync.Cache.CA));
        return this;
    }

    /** Advises L2 to fetch what surrounds the source. */
    public CpAsyncStep prefetchL2(CpAsync.PrefetchSize size) {
        Objects.requireNonNull(size, "size");
        revise(form().withPrefetch(size));
        return this;
    }

    /** @param policy 64 bits, of createpolicy */
    public CpAsyncStep cacheHint(Expr policy) {
        Objects.requireNonNull(policy, "policy");
        revise(form().withCacheHint(), "policy", Input.of(policy));
        return this;
    }
}
