package dev.tilewright.ptx.fence;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import java.util.Locale;
import java.util.Objects;

/**
 * {@code fence.proxy.async}: orders this thread's ordinary memory accesses and those of asynchronous copies.
 *
 * @param memory the memory that it speaks of
 */
@About(section = "membar / fence", role = StepRole.FENCE,
        summary = "orders this thread's ordinary memory accesses and those of asynchronous copies")
public record FenceProxyAsync(Memory memory) implements FenceInstruction {
    public FenceProxyAsync {
        Objects.requireNonNull(memory, "memory");
    }

    /** The memory that the fence speaks of. */
    public enum Memory implements Qualifier {
        ALL(""), GLOBAL(".global"), SHARED(".shared::cta"), SHARED_CLUSTER(".shared::cluster");

        private final String text;

        Memory(String text) {
            this.text = text;
        }

        @Override
        public String text() {
            return text;
        }
    }

    /** For all memory. */
    public FenceProxyAsync() {
        this(Memory.ALL);
    }

    /** For this memory. */
    public FenceProxyAsync withMemory(Memory memory) {
        return new FenceProxyAsync(memory);
    }

    @Override
    public Form form() {
        return FormBuilder.form("fence.proxy.async").with(memory)
                .named("fence_proxy_async" + (memory == Memory.ALL ? "" : "_" + memory.name().toLowerCase(Locale.ROOT)))
                .needs(Gates.HOPPER,
                EffectsBuilder.nothing().fencing(Proxy.GENERIC, Proxy.ASYNC, switch (memory) {
                    case ALL -> Effects.Memory.ALL;
                    case GLOBAL -> Effects.Memory.GLOBAL;
                    case SHARED -> Effects.Memory.OWN_SHARED;
                    case SHARED_CLUSTER -> Effects.Memory.CLUSTER_SHARED;
                }));
    }
}
