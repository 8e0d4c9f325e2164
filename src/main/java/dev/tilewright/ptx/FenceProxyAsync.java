package dev.tilewright.ptx;

import java.util.List;

/**
 * {@code fence.proxy.async}: orders this thread's ordinary memory accesses and the asynchronous copies that follow.
 *
 * @param scope the memory it speaks of
 */
public record FenceProxyAsync(Scope scope) implements PtxInstruction {

    /** The memory that the fence speaks of. */
    public enum Scope {
        ALL(""), GLOBAL(".global"), SHARED(".shared::cta");

        private final String suffix;

        Scope(String suffix) {
            this.suffix = suffix;
        }
    }

    @Override
    public String opcode() {
        return "fence.proxy.async" + scope.suffix;
    }

    @Override
    public List<Operand> operands() {
        return List.of();
    }

    @Override
    public String operandText() {
        return "";
    }

    @Override
    public PtxVersion since() {
        return Ptx.V8_0;
    }

    @Override
    public Target minimumTarget() {
        return Target.SM_90;
    }

    @Override
    public String summary() {
        return "orders this thread's ordinary memory accesses and the asynchronous copies that follow";
    }

    @Override
    public String functionName() {
        return "fence_proxy_async" + (scope == Scope.ALL ? "" : "_" + scope.name().toLowerCase(java.util.Locale.ROOT));
    }
}
