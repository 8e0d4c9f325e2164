package dev.tilewright.bench.suite;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Suite;
import java.time.Duration;

/** The benchmarks of what is Java alone, which are JMH's: run where they, and JMH, are on the class path. */
public final class JavaSuite extends Suite {
    private static final String HOW = ": 'native-tests/bench java', in the sources, has them";

    private final ClassLoader loader;
    private final String which;
    private final Duration iteration;

    /** All benchmarks of this library. */
    public JavaSuite() {
        this(JavaSuite.class.getClassLoader(), "^dev\\.tilewright\\.", Duration.ofMillis(700));
    }

    /**
     * @param loader what sees the class path
     * @param which a regular expression that the benchmarks' names match
     * @param iteration how long one lasts
     */
    JavaSuite(ClassLoader loader, String which, Duration iteration) {
        super("java", "what is Java alone, by JMH: the reference, encoding, values, tensor-core arithmetic", false);
        this.loader = loader;
        this.which = which;
        this.iteration = iteration;
    }

    @Override
    public void run(Bench bench) {
        try {
            Class.forName("org.openjdk.jmh.runner.Runner", false, loader);
        } catch (ClassNotFoundException e) {
            throw new MissingRequirementException("JMH is not on the class path" + HOW, e);
        }
        if (loader.getResource("META-INF/BenchmarkList") == null) {
            throw new MissingRequirementException("no JMH benchmarks are on the class path" + HOW);
        }
        JmhRuns.run(this, which, iteration, bench);
    }
}
