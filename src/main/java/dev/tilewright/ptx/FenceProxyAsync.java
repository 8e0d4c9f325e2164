package dev.tilewright.ptx;

import java.util.Locale;

/**
 * {@code fence.proxy.async}: orders this thread's ordinary memory accesses and the asynchronous copies that follow.
 *
 * @param memory the memory that it speaks of
 */
public record FenceProxyAsync(Memory memory) implements PtxInstruction {
    private static final String SECTION = "membar / fence";

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

    @Override
    public Form form() {
        return FormBuilder.form("fence.proxy.async").with(memory).needs(Gates.HOPPER, Effects.NONE);
    }

    @Override
    public String functionName() {
        return "fence_proxy_async" + (memory == Memory.ALL ? "" : "_" + memory.name().toLowerCase(Locale.ROOT));
    }

    @Override
    public String summary() {
        return "orders this thread's ordinary memory accesses and the asynchronous copies that follow";
    }

    @Override
    public String section() {
        return SECTION;
    }
}
