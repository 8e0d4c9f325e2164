package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.VectorCopy;
import dev.tilewright.gpu.Event;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.PinnedMemory;
import dev.tilewright.gpu.streaming.Streamer;
import dev.tilewright.layout.ElementType;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What a user can hold says what it is when it is printed: no object of the exported packages is {@code
 * Kernel@103f852}.
 */
class PrintedObjectsTest {
    private static final Path SOURCES = Path.of(System.getProperty("tilewright.root", "."), "src", "main", "java");
    private static final Pattern EXPORTS = Pattern.compile("exports ([a-z0-9.]+);");

    @Test
    void everyClassThatHasObjectsSaysWhatTheyAre() throws Exception {
        List<Class<?>> all = new ArrayList<>();
        for (String name : EXPORTS.matcher(Files.readString(SOURCES.resolve("module-info.java"))).results()
                .map(MatchResult::group).map(text -> text.substring(8, text.length() - 1)).toList()) {
            addAll(name, all);
        }
        assertTrue(all.size() > 150, () -> "classes: " + all.size());
        assertEquals(List.of(), all.stream().filter(type -> printsAsHash(type)).map(Class::getName).toList());
    }

    @Test
    void handlesAndBuildersNameWhatTheyAreOf() {
        VectorCopy.Builder builder = VectorCopy.of(ElementType.F32);
        assertTrue(builder.toString().startsWith("vector-copy of f32, tile "), builder::toString);
        assertTrue(builder.build().toString().startsWith("kernel 'vector_copy' of f32, tile "),
                builder.build()::toString);
        try (Gpu gpu = Gpu.emulated(); Kernel kernel = gpu.load(builder.build()); Event event = gpu.timedEvent();
                PinnedMemory pinned = gpu.pinned(64)) {
            assertEquals("kernel 'vector_copy' for sm_90a on GPU 0", kernel.toString());
            assertEquals("timed event on GPU 0, never recorded", event.toString());
            assertEquals("64 bytes of pinned memory", pinned.toString());
            assertEquals("streamer on [GPU 0 (emulated GPU (sm_90a))]", Streamer.on(gpu).toString());
        }
    }

    private static void addAll(String name, List<Class<?>> to) throws IOException, ClassNotFoundException {
        try (Stream<Path> files = Files.list(SOURCES.resolve(name.replace('.', '/')))) {
            for (Path file : files.filter(f -> f.toString().endsWith(".java")).sorted().toList()) {
                String simple = file.getFileName().toString().replace(".java", "");
                if (!simple.equals("package-info")) {
                    add(Class.forName(name + "." + simple, false, PrintedObjectsTest.class.getClassLoader()), to);
                }
            }
        }
    }

    private static void add(Class<?> type, List<Class<?>> to) {
        if (Modifier.isPublic(type.getModifiers()) && hasObjects(type)) {
            to.add(type);
        }
        for (Class<?> inner : type.getDeclaredClasses()) {
            add(inner, to);
        }
    }

    /** Of a class with nothing but static methods there are none; an abstract one's print as their own class says. */
    private static boolean hasObjects(Class<?> type) {
        boolean made = Arrays.stream(type.getDeclaredConstructors()).map(Constructor::getModifiers)
                .anyMatch(modifiers -> !Modifier.isPrivate(modifiers));
        boolean used = Arrays.stream(type.getDeclaredMethods()).filter(method -> !method.isSynthetic())
                .map(Method::getModifiers).anyMatch(modifiers -> !Modifier.isStatic(modifiers)
                && !Modifier.isPrivate(modifiers));
        return !type.isInterface() && !Modifier.isAbstract(type.getModifiers()) && (made || used);
    }

    private static boolean printsAsHash(Class<?> type) {
        try {
            return type.getMethod("toString").getDeclaringClass() == Object.class;
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }
}
