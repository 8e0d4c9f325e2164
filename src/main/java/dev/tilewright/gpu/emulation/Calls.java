package dev.tilewright.gpu.emulation;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.emulation.state.EmulatedContext;
import dev.tilewright.gpu.emulation.state.Refusal;
import dev.tilewright.gpu.emulation.state.Results;
import java.lang.foreign.MemorySegment;

/** What all calls of the emulated driver have in common: the lock, the context, the CUresult. */
abstract class Calls {
    private final Machine machine;

    Calls(Machine machine) {
        this.machine = machine;
    }

    /** What a call does in a context. @throws Refusal if the driver refuses it */
    interface Body {
        void run(EmulatedContext context);
    }

    final Machine machine() {
        return machine;
    }

    /** A call that needs no context. */
    final int anywhere(Runnable body) {
        return entered(() -> {
            Refusal.unless(machine.isInitialized(), Results.NOT_INITIALIZED);
            body.run();
        });
    }

    /** A call that needs nothing: not even that the driver has been initialised. */
    final int entered(Runnable body) {
        try {
            machine.locked(() -> {
                body.run();
                return null;
            });
            return DriverApi.SUCCESS;
        } catch (Refusal refusal) {
            return refusal.result();
        }
    }

    /** A call that needs a current context; one whose GPU is lost refuses it. */
    final int inContext(Body body) {
        return anywhere(() -> {
            Refusal.unless(machine.current() != null, DriverApi.INVALID_CONTEXT);
            EmulatedContext context = machine.current().context();
            // As cuda.h says of a primary context that is not active.
            Refusal.unless(context != null, Results.CONTEXT_IS_DESTROYED);
            context.device().requireWorking();
            body.run(context);
            context.device().requireWorking();
        });
    }

    /** A call that needs a current context and must not be made while certain captures are under way. */
    final int outsideCaptures(Body body) {
        return inContext(context -> {
            machine.requireNoCapture();
            body.run(context);
        });
    }

    static void put(MemorySegment result, int value) {
        Refusal.unless(result.address() != 0, DriverApi.INVALID_VALUE);
        result.reinterpret(JAVA_INT.byteSize()).set(JAVA_INT, 0, value);
    }

    static void put(MemorySegment result, long value) {
        Refusal.unless(result.address() != 0, DriverApi.INVALID_VALUE);
        result.reinterpret(JAVA_LONG.byteSize()).set(JAVA_LONG, 0, value);
    }
}
