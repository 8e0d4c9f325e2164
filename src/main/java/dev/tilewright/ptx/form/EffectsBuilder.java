package dev.tilewright.ptx.form;

import dev.tilewright.ptx.Effects.Access;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Extent;
import dev.tilewright.ptx.Effects.Memory;
import dev.tilewright.ptx.Effects.Mode;
import dev.tilewright.ptx.Effects.Order;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Effects.ProxyFence;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Effects.Wait;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Scope;
import java.util.List;
import java.util.Optional;

/** Puts {@link Effects} together, in the words of the instruction records. */
public final class EffectsBuilder {
    private final Completion completion;
    private final List<Access> accesses;
    private Optional<Order> order = Optional.empty();
    private Optional<ProxyFence> fence = Optional.empty();
    private Optional<Wait> waitsFor = Optional.empty();

    private EffectsBuilder(Completion completion, List<Access> accesses) {
        this.completion = completion;
        this.accesses = accesses;
    }

    /** Nothing but what other instructions or the scheduler see of it. */
    public static EffectsBuilder nothing() {
        return of(Completion.AT_ONCE);
    }

    public static EffectsBuilder of(Completion completion, Access... accesses) {
        return new EffectsBuilder(completion, List.of(accesses));
    }

    public static EffectsBuilder waitingFor(Wait wait) {
        EffectsBuilder effects = nothing();
        effects.waitsFor = Optional.of(wait);
        return effects;
    }

    public EffectsBuilder ordered(Semantics semantics, Scope scope) {
        order = Optional.of(new Order(semantics, scope));
        return this;
    }

    public EffectsBuilder fencing(Proxy from, Proxy to, Memory memory) {
        fence = Optional.of(new ProxyFence(from, to, memory));
        return this;
    }

    Effects build() {
        return new Effects(completion, accesses, order, fence, waitsFor);
    }

    public static Access reads(String operand, Proxy proxy, Extent extent) {
        return new Access(operand, Mode.READ, proxy, extent);
    }

    public static Access writes(String operand, Proxy proxy, Extent extent) {
        return new Access(operand, Mode.WRITE, proxy, extent);
    }

    public static Access updates(String operand, Proxy proxy, Extent extent) {
        return new Access(operand, Mode.UPDATE, proxy, extent);
    }

    public static Extent bytes(int bytes) {
        return new Extent.Fixed(bytes);
    }

    public static Extent counted(String operand) {
        return new Extent.Counted(operand);
    }

    public static Extent matrix() {
        return new Extent.Matrix();
    }

    public static Extent box() {
        return new Extent.Box();
    }
}
