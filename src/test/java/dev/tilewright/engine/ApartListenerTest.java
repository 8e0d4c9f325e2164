package dev.tilewright.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.platform.engine.EngineExecutionListener;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.AbstractTestDescriptor;
import org.junit.platform.engine.support.descriptor.ClassSource;

/** A property waits for a class that has to be alone, and that for a property; nothing else waits. */
@Timeout(120)
class ApartListenerTest {
    private final List<String> started = new CopyOnWriteArrayList<>();
    private final ApartListener listener = new ApartListener(new EngineExecutionListener() {
        @Override
        public void executionStarted(TestDescriptor one) {
            started.add(one.getDisplayName());
        }
    });

    @Isolated
    private static final class Alone {
    }

    private static final class Shared {
    }

    private static TestDescriptor one(String engine, Class<?> source, String name, TestDescriptor.Type type) {
        return new AbstractTestDescriptor(UniqueId.forEngine("side-by-side").appendEngine(engine).append("x", name),
                name, ClassSource.from(source)) {
            @Override
            public Type getType() {
                return type;
            }
        };
    }

    private static final TestDescriptor ALONE =
            one("junit-jupiter", Alone.class, "alone", TestDescriptor.Type.CONTAINER);
    private static final TestDescriptor SHARED =
            one("junit-jupiter", Shared.class, "shared", TestDescriptor.Type.CONTAINER);
    private static final TestDescriptor PROPERTY = one("jqwik", Shared.class, "property", TestDescriptor.Type.TEST);
    private static final TestDescriptor PROPERTIES =
            one("jqwik", Shared.class, "properties", TestDescriptor.Type.CONTAINER);

    private Thread start(TestDescriptor one) {
        return Thread.ofPlatform().start(() -> listener.executionStarted(one));
    }

    private void finish(TestDescriptor one) {
        listener.executionFinished(one, TestExecutionResult.successful());
    }

    private void waitsFor(TestDescriptor second, TestDescriptor first) throws InterruptedException {
        started.clear();
        start(first).join();
        Thread waiting = start(second);
        while (waiting.getState() != Thread.State.WAITING) {
            Thread.sleep(Duration.ofMillis(1));
        }
        start(SHARED).join();
        start(PROPERTIES).join();
        assertEquals(List.of(first.getDisplayName(), "shared", "properties"), started);
        finish(SHARED);
        finish(PROPERTIES);
        finish(first);
        waiting.join();
        assertEquals(second.getDisplayName(), started.getLast());
        finish(second);
    }

    @Test
    void eitherWaitsForTheOther() throws InterruptedException {
        waitsFor(PROPERTY, ALONE);
        waitsFor(ALONE, PROPERTY);
    }
}
