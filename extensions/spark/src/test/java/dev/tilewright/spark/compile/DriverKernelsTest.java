package dev.tilewright.spark.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Progress;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.ptx.Target;
import dev.tilewright.spark.LocalCluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Test;

/** Executors that have no compiler get what the driver compiles, once, and keep it on their disks. */
class DriverKernelsTest {

    /** What an executor came by. */
    private record Got(String executor, String cubin, String again, List<String> notes) implements java.io.Serializable { }

    private static Got got(DriverCompiler compiler, String source) {
        // Each executor works in a folder of its own, and has no NVRTC.
        System.setProperty("tilewright.cache", Path.of("kernels").toAbsolutePath().toString());
        System.setProperty("tilewright.nvrtc", Path.of("none").toAbsolutePath().toString());
        List<String> notes = Collections.synchronizedList(new ArrayList<>());
        String first = cubin(compiler.onExecutor(notes::add), source);
        // Who starts anew asks nobody.
        DriverCompiler gone = new DriverCompiler(compiler.version(), compiler.identity()) ;
        return new Got(SparkEnv.get().executorId(), first, cubin(gone.onExecutor(notes::add), source),
                List.copyOf(notes));
    }

    private static String cubin(KernelCompiler compiler, String source) {
        return HexFormat.of().formatHex(compiler.cubin(source, "k", Target.SM_90A, KernelCompiler.OPTIONS));
    }

    @Test
    void aKernelIsCompiledOnceForAllExecutors() throws Exception {
        // In nobody's cache yet.
        String source = "// " + System.nanoTime() + "\nextern \"C\" __global__ void k(int *p) { *p = 7; }\n";
        String expected = HexFormat.of().formatHex(Nvrtc.find(Progress.NONE).compilation(source, "k", Target.SM_90A,
                KernelCompiler.OPTIONS).cubin());
        try (JavaSparkContext context = new JavaSparkContext(LocalCluster.conf("local-cluster[2,2,512]"))) {
            DriverCompiler compiler = DriverKernels.of(context.sc());
            List<Got> all = context.parallelize(IntStream.range(0, 16).boxed().toList(), 16)
                    .map(_ -> got(compiler, source)).collect();
            Set<String> executors = new HashSet<>();
            for (Got got : all) {
                executors.add(got.executor());
                assertEquals(expected, got.cubin());
                assertEquals(expected, got.again());
                assertEquals(List.of(), got.notes());
            }
            assertEquals(Set.of("0", "1"), executors);
            assertEquals(1, DriverKernels.kernels(context.sc()));
        }
    }
}
