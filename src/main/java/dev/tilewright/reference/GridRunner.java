package dev.tilewright.reference;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Shares the blocks of a grid out to CPU threads. Blocks are taken in order and a block once taken is finished, so
 * when some fail, the lowest that fails is always among those that ran: the report does not depend on timing.
 */
final class GridRunner {
    private final CompiledProgram program;
    private final int blocks;
    private final byte poison;
    private final AtomicInteger nextBlock = new AtomicInteger();
    private final AtomicLong threadSteps = new AtomicLong();
    private int failedBlock = Integer.MAX_VALUE;
    private Throwable failure;

    GridRunner(CompiledProgram program, int blocks, byte poison) {
        this.program = program;
        this.blocks = blocks;
        this.poison = poison;
    }

    /** Runs all blocks on the calling thread and so many less one others. */
    ReferenceRun run(int workers) {
        List<Thread> others = new ArrayList<>();
        for (int i = 1; i < workers; i++) {
            others.add(Thread.ofPlatform().daemon().name("tilewright-reference-" + i).start(this::work));
        }
        work();
        joinAll(others);
        switch (failure) {
            case null -> { }
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(failure);
        }
        return new ReferenceRun(blocks, threadSteps.get());
    }

    private void work() {
        BlockRunner runner = new BlockRunner(program, poison);
        for (int block = take(); block < blocks; block = take()) {
            try {
                runner.run(block);
            } catch (RuntimeException | Error e) {
                fail(block, e);
            }
        }
        threadSteps.addAndGet(runner.threadSteps());
    }

    private int take() {
        return nextBlock.getAndUpdate(n -> n < blocks ? n + 1 : n);
    }

    private synchronized void fail(int block, Throwable e) {
        nextBlock.set(blocks);
        if (block < failedBlock) {
            failedBlock = block;
            failure = e;
        }
    }

    private static void joinAll(List<Thread> threads) {
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
