package dev.tilewright.gpu.cuda;

import dev.tilewright.MissingRequirementException;
import java.lang.invoke.MethodHandles;
import jcuda.driver.JCudaDriver;

/**
 * JCuda's own native library, which JCuda 12.6.0 unpacks from {@code jcuda-natives-12.6.0-linux-x86_64.jar}. It looks
 * for it among its own resources ({@code LibUtils}): on the class path those are any jar's, but a module sees only those
 * of the same module, so that on a module path the jar must be made a part of JCuda's.
 */
public final class JCudaNatives {
    private static final String JAR = "jcuda-natives-12.6.0-linux-x86_64.jar";

    private JCudaNatives() { }

    /**
     * Loads it, once in a process. {@code libcuda.so.1} must be present: see {@link LibCuda#presence}.
     *
     * @throws MissingRequirementException if it does not load, with what to do
     */
    public static void load() {
        try {
            MethodHandles.lookup().ensureInitialized(JCudaDriver.class);
        } catch (LinkageError e) {
            throw new MissingRequirementException("JCuda's native library does not load (" + firstLine(e) + "): "
                    + (JCudaDriver.class.getModule().isNamed() ? "add --patch-module jcuda=" + JAR
                            + " to the java command" : "put " + JAR + " on the class path"), e);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private static String firstLine(LinkageError e) {
        return String.valueOf(e.getMessage()).lines().filter(line -> !line.isBlank()).findFirst().orElse("");
    }
}
