package dev.tilewright.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test, or all tests of a class, that run on GPUs. Where these are not there, they are skipped, with the reason that
 * the runtime gives: no driver, no device, devices that are too old or too few.
 *
 * {@snippet lang=java :
 * @Test
 * @RequiresGpu(minimum = "sm_90")
 * void tilesArriveThroughTma() { ... }
 * }
 *
 * <p>A test that is always skipped finds nothing. On a machine that is meant to have the GPUs a skip is made a failure,
 * with the same reason: by the system property or JUnit configuration parameter {@code tilewright.gpu.required=true},
 * or the environment variable {@code TILEWRIGHT_GPU_REQUIRED=true}. For example a pipeline of two jobs:
 *
 * {@snippet lang=yaml :
 * jobs:
 *   test:                                # any machine: tests that need a GPU are skipped
 *     steps:
 *       - run: mvn -B verify
 *   test-on-gpu:
 *     runs-on: [self-hosted, gpu]
 *     env:
 *       TILEWRIGHT_GPU_REQUIRED: "true"  # without its GPU this job fails
 *     steps:
 *       - run: mvn -B verify
 * }
 *
 * <p>Where the tests are a named module, it opens its package to {@code org.junit.platform.commons}, as all of
 * Jupiter's tests do.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ExtendWith(RequiresGpuExtension.class)
// Modules that use it require JUnit themselves: with "transitive" those without JUnit would not compile.
@SuppressWarnings("exports")
public @interface RequiresGpu {

    /**
     * What each of the GPUs has to support, such as {@code sm_80} or {@code sm_90}, which later ones do too, or
     * {@code sm_90a}, which compute capability 9.0 alone has.
     */
    String minimum() default "sm_80";

    /** How many such GPUs there have to be, at least 1. */
    int count() default 1;
}
