package dev.tilewright;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Of the invocations of a test with parameters an ordinary run takes one in so many, other ones each time: the rest is
 * skipped, and says so. A thorough run takes all ({@link Thorough}).
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@ExtendWith(OrdinaryShare.Condition.class)
public @interface OrdinaryShare {
    /** One in so many. */
    int value();

    /** Asked for the test, and again for each of its invocations. */
    final class Condition implements ExecutionCondition {
        private static final Pattern INVOCATION = Pattern.compile("invocation:#(\\d+)\\]$");

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            int oneIn = context.getRequiredTestMethod().getAnnotation(OrdinaryShare.class).value();
            Matcher invocation = INVOCATION.matcher(context.getUniqueId());
            return !invocation.find() || Thorough.takes(Integer.parseInt(invocation.group(1)), oneIn)
                    ? ConditionEvaluationResult.enabled("its turn")
                    : ConditionEvaluationResult.disabled("an ordinary run takes one in " + oneIn);
        }
    }
}
