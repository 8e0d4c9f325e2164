/**
 * Tile loading on CUDA GPUs from Java. What is exported is what an application uses: describing kernels (builder,
 * program, ptx, tensormap, layout, io), running them (gpu, reference), checking them (hazard, and junit for its
 * tests), and measuring them (jmh for its benchmarks). The rest may change at any time.
 *
 * <p>An application that runs as a module on a GPU adds {@code --enable-native-access=dev.tilewright} to the java
 * command. One that uses JCuda besides ({@code gpu.JCudaInterop}) {@code requires jcuda} itself, and adds
 * {@code --enable-native-access=dev.tilewright,jcuda} and
 * {@code --patch-module jcuda=jcuda-natives-12.6.0-linux-x86_64.jar}: JCuda has no module descriptor, and finds its
 * native library only within its own module.
 */
module dev.tilewright {
    requires java.management;
    requires java.xml;
    requires org.apache.commons.codec;
    requires org.apache.commons.compress;
    requires org.apache.commons.io;
    requires org.apache.commons.lang3;

    // What the command needs, and applications do not.
    requires static com.fasterxml.jackson.databind;
    requires static info.picocli;
    requires static org.apache.commons.text;
    // What an application has that uses it besides: gpu.JCudaInterop.
    requires static jcuda;
    // What a runtime image may lack: recordings are then not made.
    requires static jdk.jfr;
    // What a project has that measures with JMH.
    requires static jmh.core;
    // What a project has that tests with JUnit.
    requires static org.junit.jupiter.api;

    uses dev.tilewright.bench.suite.Suites.Further;

    exports dev.tilewright;
    exports dev.tilewright.builder;
    exports dev.tilewright.builder.collective;
    exports dev.tilewright.builder.pipeline;
    exports dev.tilewright.emit;
    exports dev.tilewright.gpu;
    exports dev.tilewright.gpu.compile;
    exports dev.tilewright.gpu.device;
    exports dev.tilewright.gpu.streaming;
    exports dev.tilewright.hazard;
    exports dev.tilewright.hazard.check;
    exports dev.tilewright.io;
    exports dev.tilewright.jmh;
    exports dev.tilewright.junit;
    exports dev.tilewright.layout;
    exports dev.tilewright.program;
    exports dev.tilewright.program.array;
    exports dev.tilewright.program.expression;
    exports dev.tilewright.program.function;
    exports dev.tilewright.program.value;
    exports dev.tilewright.ptx;
    exports dev.tilewright.ptx.approx;
    exports dev.tilewright.ptx.cache;
    exports dev.tilewright.ptx.cluster;
    exports dev.tilewright.ptx.copy;
    exports dev.tilewright.ptx.fence;
    exports dev.tilewright.ptx.mbarrier;
    exports dev.tilewright.ptx.memory;
    exports dev.tilewright.ptx.mma;
    exports dev.tilewright.ptx.tensormap;
    exports dev.tilewright.ptx.warp;
    exports dev.tilewright.reference;
    exports dev.tilewright.reference.banks;
    exports dev.tilewright.reference.fault;
    exports dev.tilewright.reference.observe;
    exports dev.tilewright.tensormap;
    exports dev.tilewright.tensormap.call;
    exports dev.tilewright.tensormap.rules;
    exports dev.tilewright.tile;
    exports dev.tilewright.tile.kernel;
    exports dev.tilewright.tuning;

    // What picocli fills and Jackson reads: the command's options, and the records that its documents are made of.
    opens dev.tilewright.bench.report to com.fasterxml.jackson.databind;
    opens dev.tilewright.bench.result to com.fasterxml.jackson.databind;
    opens dev.tilewright.doctor to com.fasterxml.jackson.databind;
    opens dev.tilewright.doctor.examination to com.fasterxml.jackson.databind;
    opens dev.tilewright.doctor.machine to com.fasterxml.jackson.databind;
    opens dev.tilewright.doctor.need to com.fasterxml.jackson.databind;
    opens dev.tilewright.explain to com.fasterxml.jackson.databind;
    opens dev.tilewright.explain.timeline to com.fasterxml.jackson.databind;
    opens dev.tilewright.cli to com.fasterxml.jackson.databind, info.picocli;
    opens dev.tilewright.cli.annotate to com.fasterxml.jackson.databind, info.picocli;
    opens dev.tilewright.cli.bench to com.fasterxml.jackson.databind, info.picocli;
    opens dev.tilewright.cli.kernel to com.fasterxml.jackson.databind, info.picocli;
    opens dev.tilewright.cli.option to com.fasterxml.jackson.databind, info.picocli;
    opens dev.tilewright.cli.ptx to com.fasterxml.jackson.databind, info.picocli;
    opens dev.tilewright.cli.tensormap to com.fasterxml.jackson.databind, info.picocli;
    opens dev.tilewright.cli.verify to com.fasterxml.jackson.databind, info.picocli;
    opens dev.tilewright.verify to com.fasterxml.jackson.databind;
    // What JUnit makes of an annotation.
    opens dev.tilewright.junit to org.junit.platform.commons;
}
