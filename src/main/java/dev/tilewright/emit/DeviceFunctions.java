package dev.tilewright.emit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The device functions that a source needs, each once, what a function calls before it. */
final class DeviceFunctions {
    private final String namespace;
    private final Map<String, List<String>> functions = new LinkedHashMap<>();

    DeviceFunctions(String namespace) {
        this.namespace = namespace;
    }

    /**
     * Notes a function and calls it.
     *
     * @param head its result type, its name, and its parameters in parentheses: {@code float twice(float a)}
     * @param comment what it does, or empty
     * @param body the lines of its body
     * @param arguments the texts of the arguments
     */
    String call(String head, String comment, List<String> body, String... arguments) {
        String name = head.substring(head.lastIndexOf(' ', head.indexOf('(')) + 1, head.indexOf('('));
        if (!functions.containsKey(name)) {
            List<String> lines = new ArrayList<>();
            if (!comment.isEmpty()) {
                lines.add("// " + comment);
            }
            lines.add("__device__ __forceinline__ " + head + " {");
            body.forEach(line -> lines.add("    " + line));
            lines.add("}");
            functions.put(name, lines);
        }
        return namespace + "::" + name + "(" + String.join(", ", arguments) + ")";
    }

    /** The lines of every function noted. */
    List<List<String>> definitions() {
        return List.copyOf(functions.values());
    }
}
