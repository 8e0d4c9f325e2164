package dev.tilewright.ptx.copy;

import static dev.tilewright.ptx.form.EffectsBuilder.counted;
import static dev.tilewright.ptx.form.EffectsBuilder.reads;
import static dev.tilewright.ptx.form.EffectsBuilder.writes;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.OneOf;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Ptx;
import java.util.List;
import java.util.Locale;

/**
 * {@code cp.async}: one thread copies a few bytes from global to shared memory, asynchronously. Inputs, in order:
 * {@code dst, src, [src_bytes], [ignore_src], [policy]}.
 *
 * @param cache which caches keep the line: L1 and L2, or L2 alone (16 bytes only)
 * @param bytes bytes written to shared memory: 4, 8 or 16; both addresses are multiples of it
 * @param source whether the instruction also says how much of the source to read; the rest are zeros
 * @param prefetch how much of the source's surroundings L2 is advised to fetch
 * @param cacheHint whether a cache policy follows
 * @param spelling how shared memory is written
 */
@About(section = "cp.async", role = StepRole.OTHER,
        summary = "one thread copies a few bytes from global to shared memory, asynchronously")
public record CpAsync(
        Cache cache, @OneOf({4, 8, 16}) int bytes, Source source, PrefetchSize prefetch, boolean cacheHint,
                Spelling spelling)
        implements CopyInstruction {
    /** Cache operator: {@code CA} caches at all levels, {@code CG} at L2 only. */
    public enum Cache { CA, CG }

    /** How much of the source is read. */
    public enum Source {
        /** All of it. */
        WHOLE(""),
        /** Copies as many bytes as a register says. */
        SIZED("_zero_fill"),
        /** All of it, or nothing where a predicate is set. */
        IGNORABLE("_ignore");

        private final String suffix;

        Source(String suffix) {
            this.suffix = suffix;
        }
    }

    /** The prefetch size, a hint. */
    public enum PrefetchSize implements Qualifier {
        NONE, L2_64B, L2_128B, L2_256B;

        @Override
        public String text() {
            return this == NONE ? "" : "." + name().replace("_", "::");
        }
    }

    /** The two ways to write the block's own shared memory. */
    public enum Spelling implements Qualifier {
        SHARED, SHARED_CTA;

        @Override
        public String text() {
            return this == SHARED ? ".shared" : ".shared::cta";
        }
    }

    public CpAsync {
        NotNull.all("cache, source, prefetch, spelling", cache, source, prefetch, spelling);
        if (bytes != 4 && bytes != 8 && bytes != 16) {
            throw new IllegalFormException("cp.async copies 4, 8 or 16 bytes, got " + bytes, CpAsync.class);
        }
        if (cache == Cache.CG && bytes != 16) {
            throw new IllegalFormException("cp.async.cg copies 16 bytes, got " + bytes, CpAsync.class);
        }
    }

    /**
     * The form without options, in the oldest spelling, as is best for streaming: past L1 where the instruction allows
     * it.
     *
     * @param bytes 4, 8 or 16
     */
    public static CpAsync of(int bytes) {
        return new CpAsync(bytes == 16 ? Cache.CG : Cache.CA, bytes, Source.WHOLE, PrefetchSize.NONE, false,
                Spelling.SHARED);
    }

    /** Kept by these caches. */
    public CpAsync withCache(Cache cache) {
        return new CpAsync(cache, bytes, source, prefetch, cacheHint, spelling);
    }

    /** Reading this much of the source. */
    public CpAsync withSource(Source source) {
        return new CpAsync(cache, bytes, source, prefetch, cacheHint, spelling);
    }

    /** Advising L2 to fetch this much of the surroundings. */
    public CpAsync withPrefetch(PrefetchSize prefetch) {
        return new CpAsync(cache, bytes, source, prefetch, cacheHint, spelling);
    }

    /** This form with a cache policy as the last operand. */
    public CpAsync withCacheHint() {
        return new CpAsync(cache, bytes, source, prefetch, true, spelling);
    }

    /** This form with a spelling of the shared state space. */
    public CpAsync withSpelling(Spelling spelling) {
        return new CpAsync(cache, bytes, source, prefetch, cacheHint, spelling);
    }

    @Override
    public Form form() {
        Gate gate = source == Source.IGNORABLE ? Gates.CP_ASYNC_IGNORE
                : cacheHint || prefetch != PrefetchSize.NONE ? Gates.CACHE_HINTS : Gates.AMPERE;
        return FormBuilder.form("cp.async").with(cache == Cache.CA ? ".ca" : ".cg").with(spelling).with(".global")
                .withIf(cacheHint, Ptx.CACHE_HINT).with(prefetch)
                .operand(Ptx.SHARED_DST).operand(Ptx.GLOBAL_SRC).literal(Integer.toString(bytes))
                .operandIf(source == Source.SIZED, "src_bytes", Operand.Kind.U32)
                .operandIf(source == Source.IGNORABLE, "ignore_src", Operand.Kind.PREDICATE)
                .operandIf(cacheHint, Ptx.POLICY)
                .named("cp_async_" + bytes + (cache == Cache.CA ? "_ca" : "") + source.suffix
                        + (prefetch == PrefetchSize.NONE ? "" : "_" + prefetch.name().toLowerCase(Locale.ROOT))
                        + (cacheHint ? "_hint" : "") + (spelling == Spelling.SHARED_CTA ? "_cta" : ""))
                .needs(spelling == Spelling.SHARED_CTA ? gate.and(Gates.SHARED_CTA) : gate,
                        Completion.CP_ASYNC_GROUP,
                                reads("src", Proxy.GENERIC, source == Source.SIZED ? counted("src_bytes")
                                        : EffectsBuilder.bytes(bytes)),
                                writes("dst", Proxy.GENERIC, EffectsBuilder.bytes(bytes)));
    }

    @Override
    public List<PtxInstruction> spellings() {
        return List.of(withSpelling(Spelling.SHARED_CTA), withSpelling(Spelling.SHARED));
    }
}
