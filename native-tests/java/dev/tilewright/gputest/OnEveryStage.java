package dev.tilewright.gputest;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A class of tests that runs on every {@link Stage}, which its constructor takes. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("gpu")
@ParameterizedClass(name = "on {0}")
@MethodSource("dev.tilewright.gputest.Stage#wanted")
@interface OnEveryStage {
}
