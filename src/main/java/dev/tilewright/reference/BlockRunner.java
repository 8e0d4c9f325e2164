package dev.tilewright.reference;

import dev.tilewright.reference.ReferenceException.Kind;
import dev.tilewright.reference.ThreadState.Status;

/**
 * Runs blocks of a compiled program, one after the other. Threads take turns in the order of their numbers; a turn
 * lasts until the thread has to wait. When a whole round brings nobody on, loads in flight land, oldest first, until a
 * phase that somebody waits for completes; when none can land either, the kernel would wait forever.
 */
final class BlockRunner {
    private final CompiledProgram program;
    private final Op[] ops;
    private final BlockState block;
    private long threadSteps;

    BlockRunner(CompiledProgram program, byte poison) {
        this.program = program;
        this.ops = program.ops();
        this.block = new BlockState(program, poison);
    }

    /** Operations performed since this runner was made, added up over all threads. */
    long threadSteps() {
        return threadSteps;
    }

    /** @throws ReferenceException if the program makes a mistake */
    void run(int blockIndex) {
        block.restart(blockIndex);
        while (block.live() > 0) {
            block.nextPass();
            boolean moved = false;
            for (ThreadState thread : block.threads()) {
                if (thread.status == Status.RUNNABLE || thread.status == Status.AT_BARRIER) {
                    moved |= takeTurn(thread);
                }
            }
            if (!moved && !landLoads()) {
                throw new Deadlock(program, block).describe();
            }
        }
        requireNothingInFlight();
    }

    /** Runs a thread until it waits or exits. @return whether it did anything */
    private boolean takeTurn(ThreadState thread) {
        Op[] code = ops;
        int pc = thread.pc;
        long done = 0;
        thread.status = Status.RUNNABLE;
        try {
            for (;;) {
                int next = code[pc].run(thread, pc);
                if (next < 0) {
                    if (next == Op.BLOCKED) {
                        thread.pc = pc;
                        return done > 0;
                    }
                    done++;
                    return true;
                }
                done++;
                pc = next;
            }
        } catch (Fault f) {
            throw at(thread.index, pc, f.kind(), f.getMessage());
        } catch (ArithmeticException e) {
            throw at(thread.index, pc, Kind.ARITHMETIC, "an address does not fit 64 bits: " + e.getMessage());
        } finally {
            threadSteps += done;
        }
    }

    /** Lands loads until a phase that a thread waits for completes. @return false if none does */
    private boolean landLoads() {
        for (;;) {
            LoadsInFlight.Load load = block.loads().takeOldestWaitedFor(block.pass());
            if (load == null) {
                return false;
            }
            Mbarrier barrier = load.barrier();
            long phase = barrier.phase();
            load.transfer().carryOut(block.shared());
            try {
                barrier.completeTx(load.bytes());
            } catch (Fault f) {
                throw at(load.thread(), load.pc(), f.kind(), f.getMessage());
            }
            if (barrier.phase() != phase) {
                return true;
            }
        }
    }

    private void requireNothingInFlight() {
        LoadsInFlight.Load load = block.loads().oldest();
        if (load != null) {
            throw at(load.thread(), load.pc(), Kind.LEFT_IN_FLIGHT, "the block ends while this copy of " + load.bytes()
                    + " bytes into its shared memory is still in flight; wait for barrier " + load.barrier().name()
                    + " before the last thread exits");
        }
    }

    private ReferenceException at(int thread, int pc, Kind kind, String sentence) {
        return new ReferenceException(
                kind, program.name(), block.index(), thread, ops[pc].purpose(), sentence);
    }
}
