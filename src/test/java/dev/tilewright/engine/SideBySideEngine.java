package dev.tilewright.engine;

import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.platform.engine.EngineDiscoveryRequest;
import org.junit.platform.engine.ExecutionRequest;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestEngine;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.EngineDescriptor;
import org.junit.platform.launcher.LauncherDiscoveryRequest;

/**
 * JUnit's launcher runs one engine after the other, and jqwik's runs its properties on one thread: this one runs both
 * at once, jqwik's properties on a thread beside those of Jupiter's tests, but none while an isolated class runs
 * ({@link ApartListener}). It finds nothing unless the configuration
 * parameter {@code tilewright.tests.together} is true and engines are chosen by name, as in Surefire's JVM, where it is
 * the only one: a launcher that takes all engines would run each class once more, in the same JVM.
 */
public final class SideBySideEngine implements TestEngine {
    private static final String ID = "side-by-side";

    @Override
    public String getId() {
        return ID;
    }

    private static Stream<TestEngine> others() {
        return ServiceLoader.load(TestEngine.class).stream().map(ServiceLoader.Provider::get)
                .filter(engine -> !engine.getId().equals(ID));
    }

    private static boolean isChosen(EngineDiscoveryRequest request) {
        return request.getConfigurationParameters().getBoolean("tilewright.tests.together").orElse(false)
                && !(request instanceof LauncherDiscoveryRequest its && its.getEngineFilters().isEmpty());
    }

    @Override
    public TestDescriptor discover(EngineDiscoveryRequest request, UniqueId id) {
        EngineDescriptor all = new EngineDescriptor(id, "Tests and properties");
        if (isChosen(request)) {
            others().map(engine -> engine.discover(request, id.appendEngine(engine.getId()))).forEach(all::addChild);
        }
        return all;
    }

    @Override
    public void execute(ExecutionRequest request) {
        TestDescriptor all = request.getRootTestDescriptor();
        request.getEngineExecutionListener().executionStarted(all);
        ApartListener listener = new ApartListener(request.getEngineExecutionListener());
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<? extends Future<?>> running = others().flatMap(engine -> all.getChildren().stream()
                    .filter(part -> part.getUniqueId().getLastSegment().getValue().equals(engine.getId()))
                    .<Runnable>map(part -> () -> engine.execute(ExecutionRequest.create(part, listener,
                            request.getConfigurationParameters(), request.getOutputDirectoryCreator(),
                            request.getStore()))))
                    .map(threads::submit).toList();
            for (Future<?> one : running) {
                one.get();
            }
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException("an engine did not end", e);
        }
        request.getEngineExecutionListener().executionFinished(all,
                TestExecutionResult.successful());
    }
}
