package dev.tilewright.ptx.fence;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.reads;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import java.util.Locale;
import java.util.Objects;

/**
 * {@code fence.proxy.tensormap::generic.acquire}: lets this thread start copies through a tensor map that another
 * thread published. Inputs, in order: {@code map}.
 *
 * @param scope the threads for which it does
 */
@About(section = "membar / fence", role = StepRole.MAP,
        summary = "makes this thread's later copies use the tensor map as it was last made known")
public record FenceProxyTensormapAcquire(Scope scope) implements FenceInstruction {
    public FenceProxyTensormapAcquire {
        Objects.requireNonNull(scope, "scope");
    }

    /** For every thread on the GPU. */
    public FenceProxyTensormapAcquire() {
        this(Scope.GPU);
    }

    /** For these threads. */
    public FenceProxyTensormapAcquire withScope(Scope scope) {
        return new FenceProxyTensormapAcquire(scope);
    }

    @Override
    public Form form() {
        return FormBuilder.form("fence.proxy.tensormap::generic.acquire").with(scope)
                .operand("map", Operand.Kind.GLOBAL_ADDRESS).literal("128")
                .named("fence_proxy_tensormap_acquire"
                        + (scope == Scope.GPU ? "" : "_" + scope.name().toLowerCase(Locale.ROOT)))
                .needs(Gates.TENSORMAP_FENCES, EffectsBuilder.of(Completion.AT_ONCE,
                        reads("map", Proxy.TENSORMAP, bytes(128))).ordered(Semantics.ACQUIRE, scope)
                        .fencing(Effects.Proxy.GENERIC, Effects.Proxy.TENSORMAP, Effects.Memory.TENSOR_MAP));
    }
}
