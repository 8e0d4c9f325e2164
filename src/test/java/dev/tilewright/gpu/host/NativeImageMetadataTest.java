package dev.tilewright.gpu.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.tile.Tile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The metadata of a native image names the signature of every function that the library calls, its resources and the
 * records that loops of its kernels carry, as its sources say it; {@code -Dtilewright.update=true} writes it anew.
 */
class NativeImageMetadataTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final Path FILE = ROOT.resolve(
            "src/main/resources/META-INF/native-image/dev.tilewright/tilewright/reachability-metadata.json");
    /** Of NVML's functions each takes ints and pointers, four at most. */
    private static final int NVML_ARGUMENTS = 4;
    private static final Pattern CALL = Pattern.compile("\\b(FunctionDescriptor\\.ofVoid|FunctionDescriptor\\.of"
            + "|LibCuda\\.findQuick|LibCuda\\.find|find\\(library, (?:name|\"))");
    private static final Pattern LAYOUT = Pattern.compile("\\b(ADDRESS|JAVA_[A-Z]+)\\b");

    private static final Pattern RECORD = Pattern.compile("record (\\w+)\\(((?:Tile \\w+(?:,\\s+)?)+)\\)([^{;]*)");
    private static final Pattern DYNAMIC = Pattern.compile("\\b(downcallHandle|upcallStub|getResource(?:AsStream)?"
            + "|Class\\.forName|loadClass|getDeclaredConstructor|getRecordComponents|getDeclaredMethods?"
            + "|getDeclaredFields?|findStatic|findVirtual|findVarHandle|findConstructor|newProxyInstance)\\("
            + "|ServiceLoader\\.(load)\\(");

    private static String entry(String returned, List<String> parameters, String options) {
        return "      {\"returnType\": \"" + returned + "\", \"parameterTypes\": [" + parameters.stream()
                .map(type -> "\"" + type + "\"").collect(Collectors.joining(", ")) + "]" + options + "}";
    }

    private static String type(String layout) {
        return layout.equals("ADDRESS") ? "void*" : "j" + layout.substring("JAVA_".length()).toLowerCase();
    }

    /** The text from an opening bracket to its closing one. */
    private static String arguments(String text, int from) {
        int begin = text.indexOf('(', from);
        int depth = 0;
        for (int i = begin; i < text.length(); i++) {
            depth += text.charAt(i) == '(' ? 1 : text.charAt(i) == ')' ? -1 : 0;
            if (depth == 0) {
                return text.substring(begin, i);
            }
        }
        throw new IllegalArgumentException("no closing bracket");
    }

    private static TreeSet<String> entries() throws IOException {
        TreeSet<String> entries = new TreeSet<>();
        try (Stream<Path> files = Stream.concat(Files.walk(ROOT.resolve("src/main/java/dev/tilewright/gpu")),
                Files.walk(ROOT.resolve("src/main/java/dev/tilewright/io")))) {
            for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                String text = Files.readString(file);
                for (MatchResult call : CALL.matcher(text).results().toList()) {
                    String arguments = arguments(text, call.start());
                    if (arguments.contains("parameters") || arguments.contains("types")
                            || arguments.contains("MemoryLayout")) {
                        continue;
                    }
                    boolean described = call.group().startsWith("FunctionDescriptor");
                    if (!described && arguments.contains("FunctionDescriptor")) {
                        continue;
                    }
                    List<String> types = new ArrayList<>(LAYOUT.matcher(arguments).results().map(l -> type(l.group(1)))
                            .toList());
                    String returned = call.group().endsWith("ofVoid") ? "void" : described ? types.removeFirst()
                            : "jint";
                    String options = call.group().endsWith("Quick")
                            ? ", \"options\": {\"critical\": {\"allowHeapAccess\": false}}" : "";
                    String behind = text.substring(text.indexOf(arguments, call.start()) + arguments.length());
                    if (behind.startsWith("), variadic")) {
                        options = ", \"options\": {\"firstVariadicArg\": 2}";
                    }
                    entries.add(entry(returned, types, options));
                }
            }
        }
        for (int arguments = 0; arguments <= NVML_ARGUMENTS; arguments++) {
            for (int kinds = 0; kinds < 1 << arguments; kinds++) {
                List<String> types = new ArrayList<>();
                for (int i = 0; i < arguments; i++) {
                    types.add((kinds >> i & 1) == 0 ? "void*" : "jint");
                }
                entries.add(entry("jint", types, ""));
            }
        }
        return entries;
    }

    /** Rooms that applications have in an image: all but the command, its verbs and the test libraries. */
    private static List<Path> librarySources() throws IOException {
        Path root = ROOT.resolve("src/main/java/dev/tilewright");
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(f -> f.toString().endsWith(".java") && !Set.of("cli", "bench", "verify", "junit", "jmh",
                    "doctor", "recording").contains(root.relativize(f).getName(0).toString())).sorted().toList();
        }
    }

    /** Records of tiles, which a loop takes apart and puts together by reflection. */
    private static TreeSet<String> carried() throws IOException {
        TreeSet<String> types = new TreeSet<>();
        for (Path file : librarySources()) {
            String name = ROOT.resolve("src/main/java").relativize(file).toString().replace(".java", "")
                    .replace('/', '.');
            RECORD.matcher(Files.readString(file)).results().filter(r -> !r.group(3).contains("implements"))
                    .forEach(r -> types.add(name + (name.endsWith("." + r.group(1)) ? "" : "$" + r.group(1))));
        }
        return types;
    }

    @Test
    void everySignatureIsThere() throws IOException {
        TreeSet<String> entries = entries();
        assertTrue(entries.size() > 60, entries::toString);
        String text = """
                {
                  "reflection": [
                %s,
                    {"type": "dev.tilewright.gpu.cuda.LibCuda", "methods": [
                      {"name": "refuse", "parameterTypes": ["java.lang.String"]}]},
                    {"type": "jcuda.NativePointerObject", "fields": [{"name": "nativePointer"}]},
                    {"type": "jcuda.Pointer", "fields": [{"name": "byteOffset"}]}
                  ],
                  "resources": [
                    {"glob": "dev/tilewright/tuning/shipped.tuning"}
                  ],
                  "foreign": {
                    "downcalls": [
                %s
                    ]
                  }
                }
                """.formatted(carried().stream().map(type -> "    {\"type\": \"" + type
                + "\", \"allDeclaredConstructors\": true, \"allDeclaredMethods\": true}")
                .collect(Collectors.joining(",\n")), String.join(",\n", entries));
        if (Boolean.getBoolean("tilewright.update")) {
            Files.createDirectories(FILE.getParent());
            Files.writeString(FILE, text);
        }
        assertEquals(text, Files.readString(FILE));
    }

    /** What needs an entry stands where the entries are made from; a new place asks for one. */
    @Test
    void nothingElseNeedsAnEntry() throws IOException {
        TreeSet<String> found = new TreeSet<>();
        for (Path file : librarySources()) {
            String name = ROOT.resolve("src/main/java/dev/tilewright").relativize(file).toString();
            DYNAMIC.matcher(Files.readString(file)).results().forEach(use -> found.add(name + " " + use.group(1)));
        }
        found.removeIf(use -> use.matches("(gpu|io)/.* downcallHandle"));
        assertEquals("""
                gpu/cuda/JCudaHandles.java findVarHandle
                gpu/cuda/LibCuda.java findStatic
                ptx/Catalogue.java getDeclaredConstructor
                ptx/Catalogue.java getRecordComponents
                tile/Carrier.java getDeclaredConstructor
                tile/Carrier.java getRecordComponents
                tuning/Tuning.java getResourceAsStream""", String.join("\n", found));
    }

    /** The records that kernels of the presets carry are among those with an entry. */
    @Test
    void recordsOfThePresetsHaveTheirEntries() throws Exception {
        String text = Files.readString(FILE);
        TreeSet<String> carried = carried();
        assertTrue(carried.size() >= 2, carried::toString);
        for (String type : carried) {
            Class<?> record = Class.forName(type);
            assertTrue(record.isRecord() && Stream.of(record.getRecordComponents()).allMatch(c -> c.getType()
                    == Tile.class), type);
            assertTrue(text.contains("\"" + type + "\""), type);
        }
    }

    /** Each handle that the driver's classes hold, as Java links it: another way to the same signatures. */
    @Test
    void everyHandleOfTheDriverHasItsSignature() throws Exception {
        String text = Files.readString(FILE);
        int seen = 0;
        try (Stream<Path> files = Files.list(ROOT.resolve("src/main/java/dev/tilewright/gpu/cuda"))) {
            for (Path file : files.filter(f -> f.getFileName().toString().startsWith("LibCuda")).toList()) {
                String name = "dev.tilewright.gpu.cuda." + file.getFileName().toString().replace(".java", "");
                for (Class<?> holder : Class.forName(name).getDeclaredClasses()) {
                    for (var field : holder.getDeclaredFields()) {
                        if (field.getType() == java.lang.invoke.MethodHandle.class) {
                            field.setAccessible(true);
                            var type = ((java.lang.invoke.MethodHandle) field.get(null)).type();
                            String entry = entry("jint", type.parameterList().stream().map(p -> p.isPrimitive()
                                    ? "j" + p.getName() : "void*").toList(), "");
                            assertTrue(text.contains(entry.substring(0, entry.length() - 1)), entry);
                            seen++;
                        }
                    }
                }
            }
        }
        assertTrue(seen > 50, "handles seen: " + seen);
    }
}
