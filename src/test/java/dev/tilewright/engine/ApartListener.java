package dev.tilewright.engine;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.platform.engine.EngineExecutionListener;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.reporting.FileEntry;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.engine.support.descriptor.ClassSource;

/**
 * Keeps properties of jqwik from running while an {@link Isolated} class does, which Jupiter alone cannot: engines say
 * that something starts on the thread that then runs it, and wait here until it may.
 */
final class ApartListener implements EngineExecutionListener {
    private final EngineExecutionListener told;
    private final Semaphore turn = new Semaphore(1, true);
    private final Set<UniqueId> holders = ConcurrentHashMap.newKeySet();

    ApartListener(EngineExecutionListener told) {
        this.told = told;
    }

    /** Whether it is a property, one of which runs at a time, or a class that has to be alone. */
    private static boolean takesTurns(TestDescriptor one) {
        boolean isProperty = one.isTest() && one.getUniqueId().getSegments().stream()
                .anyMatch(segment -> segment.getType().equals("engine") && segment.getValue().equals("jqwik"));
        Optional<TestSource> source = one.getSource();
        return isProperty || source.isPresent() && source.get() instanceof ClassSource its
                && its.getJavaClass().isAnnotationPresent(Isolated.class);
    }

    @Override
    public void executionStarted(TestDescriptor one) {
        if (takesTurns(one)) {
            turn.acquireUninterruptibly();
            holders.add(one.getUniqueId());
        }
        told.executionStarted(one);
    }

    @Override
    public void executionFinished(TestDescriptor one, TestExecutionResult result) {
        told.executionFinished(one, result);
        if (holders.remove(one.getUniqueId())) {
            turn.release();
        }
    }

    @Override
    public void executionSkipped(TestDescriptor one, String reason) {
        told.executionSkipped(one, reason);
    }

    @Override
    public void dynamicTestRegistered(TestDescriptor one) {
        told.dynamicTestRegistered(one);
    }

    @Override
    public void reportingEntryPublished(TestDescriptor one, ReportEntry entry) {
        told.reportingEntryPublished(one, entry);
    }

    @Override
    public void fileEntryPublished(TestDescriptor one, FileEntry entry) {
        told.fileEntryPublished(one, entry);
    }
}
