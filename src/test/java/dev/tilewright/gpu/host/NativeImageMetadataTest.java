package dev.tilewright.gpu.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The metadata of a native image names the signature of every function that the library calls, as its sources say it;
 * {@code -Dtilewright.update=true} writes them anew.
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

    @Test
    void everySignatureIsThere() throws IOException {
        TreeSet<String> entries = entries();
        assertTrue(entries.size() > 60, entries::toString);
        String text = """
                {
                  "resources": [
                    {"glob": "dev/tilewright/tuning/shipped.tuning"}
                  ],
                  "foreign": {
                    "downcalls": [
                %s
                    ]
                  }
                }
                """.formatted(String.join(",\n", entries));
        if (Boolean.getBoolean("tilewright.update")) {
            Files.createDirectories(FILE.getParent());
            Files.writeString(FILE, text);
        }
        assertEquals(text, Files.readString(FILE));
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
