package dev.tilewright.junit;

import dev.tilewright.gpu.host.RequiredGpu;
import java.lang.reflect.AnnotatedElement;
import java.util.Optional;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.AssertionFailedError;

/**
 * What {@link RequiresGpu} does. Where GPUs are missing that have to be there, the class or test is started all the
 * same and fails before anything of it runs: a condition can only skip.
 */
final class RequiresGpuExtension implements ExecutionCondition, BeforeAllCallback, BeforeEachCallback {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        Optional<RequiresGpu> wanted = wanted(context);
        if (wanted.isEmpty()) {
            return ConditionEvaluationResult.enabled("no GPU is asked for");
        }
        Optional<String> missing = missing(wanted.get());
        if (missing.isEmpty()) {
            return ConditionEvaluationResult.enabled("the GPU is there");
        }
        return isRequired(context) ? ConditionEvaluationResult.enabled("fails: " + missing.get())
                : ConditionEvaluationResult.disabled(missing.get());
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        failWithout(context);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        failWithout(context);
    }

    private static void failWithout(ExtensionContext context) {
        wanted(context).flatMap(RequiresGpuExtension::missing).ifPresent(reason -> {
            throw new AssertionFailedError(reason + "; a GPU is required here (" + RequiredGpu.PROPERTY + ")");
        });
    }

    private static Optional<String> missing(RequiresGpu wanted) {
        return WantedGpus.of(wanted).missingAmong(WantedGpus.here());
    }

    /** The annotation of the class or method itself; one of an outer class has been looked at with that. */
    private static Optional<RequiresGpu> wanted(ExtensionContext context) {
        Optional<AnnotatedElement> element = context.getElement();
        return element.flatMap(e -> AnnotationSupport.findAnnotation(e, RequiresGpu.class));
    }

    private static boolean isRequired(ExtensionContext context) {
        return RequiredGpu.isRequired(context.getConfigurationParameter(RequiredGpu.PROPERTY)
                .or(() -> Optional.ofNullable(System.getenv(RequiredGpu.VARIABLE))));
    }
}
