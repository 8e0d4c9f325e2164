package dev.tilewright.ptx.fence;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import java.util.Locale;
import java.util.Objects;

/**
 * {@code fence.proxy.tensormap::generic.release}: publishes this thread's changes of tensor maps to threads that
 * acquire them.
 *
 * @param scope the threads for which it does
 */
@About(section = "membar / fence", role = StepRole.MAP,
        summary = "makes this thread's changes of tensor maps known to threads that acquire them")
public record FenceProxyTensormapRelease(Scope scope) implements FenceInstruction {
    public FenceProxyTensormapRelease {
        Objects.requireNonNull(scope, "scope");
    }

    /** For every thread on the GPU. */
    public FenceProxyTensormapRelease() {
        this(Scope.GPU);
    }

    /** For these threads. */
    public FenceProxyTensormapRelease withScope(Scope scope) {
        return new FenceProxyTensormapRelease(scope);
    }

    @Override
    public Form form() {
        return FormBuilder.form("fence.proxy.tensormap::generic.release").with(scope)
                .named("fence_proxy_tensormap_release"
                        + (scope == Scope.GPU ? "" : "_" + scope.name().toLowerCase(Locale.ROOT)))
                .needs(Gates.TENSORMAP_FENCES, EffectsBuilder.nothing().ordered(Semantics.RELEASE, scope)
                        .fencing(Effects.Proxy.GENERIC, Effects.Proxy.TENSORMAP, Effects.Memory.TENSOR_MAP));
    }
}
