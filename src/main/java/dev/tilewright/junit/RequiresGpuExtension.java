package dev.tilewright.junit;

import java.lang.reflect.AnnotatedElement;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.AssertionFailedError;

/**
 * What {@link RequiresGpu} does. Where GPUs are missing that have to be there, the class or test is started all the same and
 * fails before anything of it runs: a condition can only skip.
 */
final class RequiresGpuExtension implements ExecutionCondition, BeforeAllCallback, BeforeEachCallback {
    static final String REQUIRED = "tilewright.gpu.required";
    static final String REQUIRED_VARIABLE = "TILEWRIGHT_GPU_REQUIRED";

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
            throw new AssertionFailedError(reason + "; a GPU is required here (" + REQUIRED + ")");
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
        return context.getConfigurationParameter(REQUIRED).or(() -> Optional.ofNullable(System.getenv(REQUIRED_VARIABLE)))
                .map(text -> text.strip().toLowerCase(Locale.ROOT)).filter(text -> !text.isEmpty())
                .map(RequiresGpuExtension::yes).orElse(false);
    }

    /** A word that is neither is refused: misread as no, it would hide all that it was to show. */
    private static boolean yes(String text) {
        return switch (text) {
            case "true", "1", "yes", "on" -> true;
            case "false", "0", "no", "off" -> false;
            default -> throw new IllegalArgumentException(REQUIRED + " (" + REQUIRED_VARIABLE
                    + ") must be true or false, got '" + text + "'");
        };
    }
}
