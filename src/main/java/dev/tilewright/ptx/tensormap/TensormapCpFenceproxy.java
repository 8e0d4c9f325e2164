package dev.tilewright.ptx.tensormap;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.reads;
import static dev.tilewright.ptx.form.EffectsBuilder.writes;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Ptx;
import java.util.Locale;
import java.util.Objects;

/**
 * {@code tensormap.cp_fenceproxy}: a warp copies a tensor map from shared to global memory and publishes it, in one
 * instruction. Inputs, in order: {@code dst, src}.
 *
 * @param scope the threads that may acquire it
 */
@About(section = "tensormap.cp_fenceproxy", role = StepRole.MAP,
        summary = "a whole warp copies a tensor map from shared to global memory and makes it known to the copy engine")
public record TensormapCpFenceproxy(Scope scope) implements TensormapInstruction {
    public TensormapCpFenceproxy {
        Objects.requireNonNull(scope, "scope");
    }

    /** For every thread on the GPU. */
    public TensormapCpFenceproxy() {
        this(Scope.GPU);
    }

    /** For these threads. */
    public TensormapCpFenceproxy withScope(Scope scope) {
        return new TensormapCpFenceproxy(scope);
    }

    @Override
    public Form form() {
        return FormBuilder.form("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release").with(scope)
                .with(".sync.aligned")
                .operand(Ptx.GLOBAL_DST).operand(Ptx.SHARED_SRC).literal("128")
                .named("tensormap_cp_fenceproxy" + (scope == Scope.GPU ? "" : "_"
                        + scope.name().toLowerCase(Locale.ROOT)))
                .needs(Gates.TENSORMAP_FENCES, EffectsBuilder.of(Completion.AT_ONCE,
                        reads("src", Proxy.GENERIC, bytes(128)),
                        writes("dst", Proxy.GENERIC, bytes(128))).ordered(Semantics.RELEASE, scope)
                                .fencing(Proxy.GENERIC, Proxy.TENSORMAP, Effects.Memory.TENSOR_MAP));
    }
}
