package dev.tilewright.junit;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs a class of tests as a build does, and keeps what becomes of the class and of each of its tests, by their names.
 */
final class SampleRun implements TestExecutionListener {
    private final Map<String, String> outcomes = new LinkedHashMap<>();

    /** @param parameters configuration parameters of JUnit's, by their names */
    static Map<String, String> of(Class<?> type, Map<String, String> parameters) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(type)).configurationParameters(parameters).build();
        SampleRun run = new SampleRun();
        LauncherFactory.create().execute(request, run);
        return run.outcomes;
    }

    /** Runs one in a process of its own, whose environment is the caller's choice. @param arguments its name */
    public static void main(String[] arguments) throws ClassNotFoundException {
        System.out.println(of(Class.forName(arguments[0]), Map.of()));
    }

    @Override
    public void executionSkipped(TestIdentifier what, String reason) {
        outcomes.put(name(what), "skipped: " + reason);
    }

    @Override
    public void executionFinished(TestIdentifier what, TestExecutionResult result) {
        if (what.getParentId().isPresent()) {
            outcomes.put(name(what),
                    result.getThrowable().map(t -> t.getClass().getSimpleName() + ": " + t.getMessage())
                    .orElse(result.getStatus().toString()));
        }
    }

    private static String name(TestIdentifier what) {
        return what.getDisplayName().replace("()", "");
    }
}
