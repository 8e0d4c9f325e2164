package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.host.OtherJava;
import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;
import org.apache.commons.codec.digest.DigestUtils;
import org.apache.commons.compress.archivers.zip.ZipFile;
import org.apache.commons.io.input.ProxyInputStream;
import org.apache.commons.lang3.StringUtils;
import org.apache.commons.text.similarity.LevenshteinDistance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * The module as an application sees it: compiled against and run from a module path, nothing of it on the class path.
 */
class ModuleTest {
    /** What an application has that depends on the library alone. */
    private static final String MODULE_PATH = path(Gpu.class, StringUtils.class, ZipFile.class, DigestUtils.class,
            ProxyInputStream.class);
    /** And what the command needs besides. */
    static final String COMMAND_PATH = MODULE_PATH + File.pathSeparator
            + path(ObjectMapper.class, JsonParser.class, JsonProperty.class, CommandLine.class,
            LevenshteinDistance.class);

    /** What the README's examples do, on the GPU that is there everywhere. */
    private static final String APPLICATION = """
            package application;

            import dev.tilewright.builder.*;
            import dev.tilewright.gpu.*;
            import dev.tilewright.gpu.compile.*;
            import dev.tilewright.gpu.device.*;
            import dev.tilewright.hazard.*;
            import dev.tilewright.hazard.check.*;
            import dev.tilewright.io.*;
            import dev.tilewright.layout.*;
            import dev.tilewright.program.*;
            import dev.tilewright.program.expression.*;
            import dev.tilewright.ptx.Target;
            import dev.tilewright.tensormap.*;
            import java.lang.foreign.*;
            import java.nio.file.Path;
            import java.util.List;

            public class Application {
                public static void main(String[] args) {
                    ElementwiseKernel kernel = TensorCopy.of(ElementType.F32).tile(64, 32).swizzle(Swizzle.B128)
                            .step(ElementStep.SCALE).build();
                    long factor = Scalars.parse(ElementType.F32, "2.5");
                    try (Arena arena = Arena.ofShared(); Gpu gpu = Gpu.options().checkHazards().emulated()) {
                        Npy array = NpyReader.open(Path.of(args[0]), arena);
                        MemorySegment scaled = arena.allocate(array.data().byteSize(), 16);
                        gpu.run(kernel.launch(array.shape(), factor), List.of(array.data(), scaled));
                        NpyWriter.write(Path.of(args[1]), array.type(), array.shape(), scaled);
                        System.out.println(NpyReader.open(Path.of(args[1]), arena).data().mismatch(scaled));

                        List<MemorySegment> buffers = List.of(array.data(), scaled);
                        HazardReport report = HazardCheck.check(kernel.launch(array.shape(), factor), buffers,
                                HazardOptions.DEFAULT.withFirstBlocks(2));
                        System.out.println(report.isClean());
                    }
                    TiledTensorMap map = TiledTensorMap.outermostFirst(TensorDataType.BFLOAT16)
                            .shape(4096, 8192).box(64, 64).swizzle(Swizzle.B128).build(Target.SM_90);
                    System.out.println(map.encode(Target.SM_90, 0x1000).bytes().length);
                    try {
                        kernel.launch(List.of(2L, 3L), 0);
                    } catch (dev.tilewright.BadRequestException e) {
                        System.out.println("refused");
                    }
                    // Types that other methods of the API give and take can be named.
                    Devices devices = Devices.probe();
                    List<DeviceInfo> list = devices.list();
                    System.out.println(list.isEmpty() ? !devices.why().isEmpty() : list.getFirst().target() != null);
                    Class<?>[] thrown = {CudaException.class, CudaError.class, CompilationException.class, \
            Nvrtc.class, KernelCompiler.class};
                    System.out.println(thrown.length + " " + Application.class.getModule().getName());
                }
            }
            """;

    @TempDir
    Path folder;

    static String path(Class<?>... ofEach) {
        return Stream.of(ofEach).map(ModuleTest::place).collect(Collectors.joining(File.pathSeparator));
    }

    private static String place(Class<?> one) {
        try {
            return Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    /** Compiles the module {@code application}; gives the complaints of the compiler. */
    private List<Diagnostic<? extends JavaFileObject>> compile(String source) throws IOException {
        Path descriptorFile = Files.writeString(folder.resolve("module-info.java"),
                "module application {\n    requires dev.tilewright;\n}\n");
        Path sourceFile = Files.writeString(folder.resolve("Application.java"), source);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> complaints = new DiagnosticCollector<>();
        try (var files = compiler.getStandardFileManager(complaints, Locale.ROOT, null)) {
            boolean compiled = compiler.getTask(null, files, complaints,
                    List.of("-d", folder.resolve("classes").toString(), "--module-path", MODULE_PATH, "--class-path",
                    folder.resolve("nothing").toString(), "-proc:none", "-Xlint:all,-path", "-Werror"), null,
                    files.getJavaFileObjects(descriptorFile, sourceFile)).call();
            assertEquals(compiled, complaints.getDiagnostics().isEmpty(), complaints.getDiagnostics()::toString);
        }
        return complaints.getDiagnostics();
    }

    private static String run(String modulePath, String... arguments) throws Exception {
        List<String> command =
                new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=dev.tilewright", "--module-path", modulePath));
        command.addAll(1, OtherJava.BRIEF);
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(3, TimeUnit.MINUTES) && process.exitValue() == 0, output);
        return output;
    }

    @Test
    void anApplicationModuleCompilesAndRuns() throws Exception {
        assertEquals(List.of(), compile(APPLICATION));
        Path input = Path.of(System.getProperty("tilewright.root", ".")).resolve("examples/interference.npy");
        assertEquals("-1\ntrue\n128\nrefused\ntrue\n5 application\n",
                run(MODULE_PATH + File.pathSeparator + folder.resolve("classes"), "--module",
                "application/application.Application", input.toString(), folder.resolve("scaled.npy").toString()));
    }

    @Test
    void whatIsInternalIsNotVisible() throws Exception {
        List<String> types = List.of("dev.tilewright.bench.Bench", "dev.tilewright.cli.Main",
                "dev.tilewright.gpu.cache.KernelCache", "dev.tilewright.gpu.cuda.LibCuda",
                "dev.tilewright.io.host.HostEnvironment", "dev.tilewright.gpu.nvrtc.LibNvrtc",
                "dev.tilewright.gpu.nvrtc.fetch.EmbeddedNvrtc", "dev.tilewright.gpu.nvrtc.locate.NvrtcLocator",
                "dev.tilewright.hazard.mutant.Mutants", "dev.tilewright.verify.Verification");
        StringBuilder source = new StringBuilder("package application;\n\n");
        for (String type : types) {
            // Renamed or moved, it would be invisible for another reason.
            assertEquals(type, Class.forName(type).getName());
            source.append("import ").append(type).append(";\n");
        }
        List<Diagnostic<? extends JavaFileObject>> complaints =
                compile(source + "\npublic class Application {\n}\n");
        assertEquals(types.size(), complaints.size(), complaints::toString);
        for (int i = 0; i < types.size(); i++) {
            assertEquals("compiler.err.package.not.visible", complaints.get(i).getCode());
            String message = complaints.get(i).getMessage(Locale.ROOT);
            String room = types.get(i).substring(0, types.get(i).lastIndexOf('.'));
            assertTrue(message.startsWith("package " + room + " is not visible")
                    && message.contains("does not export it"), message);
        }
    }

    private static ModuleDescriptor descriptor() {
        return ModuleFinder.of(Path.of(place(Gpu.class))).find("dev.tilewright").orElseThrow().descriptor();
    }

    /** With "static" and "transitive", an application that lacks the library does not compile. */
    @Test
    void whatIsOptionalIsNotHandedOn() {
        List<ModuleDescriptor.Requires> optional = descriptor().requires().stream()
                .filter(r -> r.modifiers().contains(ModuleDescriptor.Requires.Modifier.STATIC)).toList();
        assertEquals(Set.of("com.fasterxml.jackson.databind", "info.picocli", "jcuda", "jdk.jfr", "jmh.core",
                "org.apache.commons.text", "org.junit.jupiter.api"),
                optional.stream().map(ModuleDescriptor.Requires::name).collect(Collectors.toSet()));
        assertTrue(optional.stream()
                .noneMatch(r -> r.modifiers().contains(ModuleDescriptor.Requires.Modifier.TRANSITIVE)));
    }

    @Test
    void ofTheGpuTheRuntimeAndItsStreamingAreExported() {
        ModuleDescriptor module = descriptor();
        assertFalse(module.isOpen());
        assertEquals(List.of("dev.tilewright.gpu", "dev.tilewright.gpu.compile", "dev.tilewright.gpu.device",
                "dev.tilewright.gpu.streaming"), module.exports().stream()
                .map(ModuleDescriptor.Exports::source).filter(p -> p.startsWith("dev.tilewright.gpu")).sorted()
                .toList());
        assertTrue(module.exports().stream().noneMatch(ModuleDescriptor.Exports::isQualified));
    }

    /**
     * The command's options are filled and its documents are read by reflection, which a module has to allow. Its
     * libraries are optional, so it has to be said that they are wanted.
     */
    @Test
    void theCommandRunsAsAModule() throws Exception {
        String listed =
                run(COMMAND_PATH, "--add-modules",
                "com.fasterxml.jackson.databind,info.picocli,org.apache.commons.text",
                "--module", "dev.tilewright/dev.tilewright.cli.Main", "list", "--json");
        assertTrue(new ObjectMapper().readTree(listed).size() > 5, listed);
    }
}
