package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import dev.tilewright.ptx.Catalogue;
import dev.tilewright.ptx.PtxInstruction;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Every parameter of the exported packages' public constructors and methods that is given null says so by its name or,
 * where it sets an option, by the option's, before anything else happens. Objects to call and the other arguments are
 * made without constructors, but for instructions: the refusal must not depend on them.
 */
class NullArgumentsTest {
    private static final Path SOURCES = Path.of(System.getProperty("tilewright.root", "."), "src", "main", "java");

    /** What may be null, and what is called by the library only. */
    private static final Set<String> EXEMPT = Set.of("Reference.run observer", "AccessKind.<init> order",
            "NotNull.all arguments", "NotNull.entries map");
    /** Whose methods with bodies are there to be overridden: the reference calls them. */
    private static final Set<String> CALLBACKS = Set.of("ExecutionObserver");

    private static final Map<String, List<List<String>>> NAMES = new HashMap<>();

    /** Reads the names of parameters, which class files do not have, out of the sources. */
    @BeforeAll
    static void readNames() throws IOException, ClassNotFoundException {
        NAMES.clear();
        List<Path> sources = exported().stream().map(NullArgumentsTest::outermost).distinct()
                .map(type -> SOURCES.resolve(type.getName().replace('.', '/') + ".java")).toList();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(null, files, null, List.of("-proc:none"), null,
                    files.getJavaFileObjectsFromPaths(sources));
            for (CompilationUnitTree unit : task.parse()) {
                for (Tree t : unit.getTypeDecls()) {
                    if (t instanceof ClassTree c) {
                        read(c, unit.getPackageName() + "." + c.getSimpleName());
                    }
                }
            }
        }
    }

    private static Class<?> outermost(Class<?> type) {
        return type.getEnclosingClass() == null ? type : outermost(type.getEnclosingClass());
    }

    @Test
    void nullIsRefusedByName() throws Exception {
        Map<String, List<String>> wrong = new TreeMap<>();
        int parameters = 0;
        for (Class<?> type : exported()) {
            for (Executable e : executables(type)) {
                List<String> own = e.getParameterCount() == 0 ? List.of() : names(type, e);
                for (int i = 0; i < e.getParameterCount(); i++) {
                    if (e.getParameterTypes()[i].isPrimitive()
                            || EXEMPT.contains(type.getSimpleName() + "." + called(e) + " " + own.get(i))) {
                        continue;
                    }
                    parameters++;
                    String complaint = complaint(type, e, i, null, own.get(i));
                    if (complaint != null) {
                        wrong.computeIfAbsent(type.getPackageName(), _ -> new ArrayList<>())
                                .add(type.getSimpleName() + "." + called(e)
                                + Arrays.stream(e.getParameterTypes()).map(Class::getSimpleName)
                                .toList() + " " + own.get(i) + ": " + complaint);
                    }
                }
            }
        }
        assertTrue(parameters > 800, "parameters: " + parameters);
        int total = parameters;
        assertEquals("", wrong.entrySet().stream().map(e -> "\n" + e.getKey() + " " + e.getValue().size() + "\n  "
                + String.join("\n  ", e.getValue())).collect(Collectors.joining()), () -> "of " + total);
    }

    /** So is null within a list or an array, those of varargs included: which it is, and which of its elements. */
    @Test
    void nullInAListIsRefusedByName() throws Exception {
        List<String> wrong = new ArrayList<>();
        int lists = 0;
        for (Class<?> type : exported()) {
            for (Executable e : executables(type)) {
                for (int i = 0; i < e.getParameterCount(); i++) {
                    Class<?> of = e.getParameterTypes()[i];
                    boolean array = of.isArray() && !of.getComponentType().isPrimitive();
                    if ((array || of == List.class || of == Collection.class || of == Set.class)
                            && !EXEMPT.contains(type.getSimpleName() + "." + called(e) + " " + names(type, e).get(i))) {
                        lists++;
                        String name = names(type, e).get(i);
                        String complaint = complaint(type, e, i, array ? Array.newInstance(of.getComponentType(), 1)
                                : of == Set.class ? Collections.singleton(null) : Collections.singletonList(null),
                                name);
                        if (complaint != null) {
                            wrong.add(type.getSimpleName() + "." + called(e) + " " + name + ": " + complaint);
                        }
                    }
                }
            }
        }
        assertTrue(lists > 150, "lists: " + lists);
        assertEquals("", String.join("\n", wrong));
    }

    /** So is null for a key of a map, and for a value: of the value the key is said. */
    @Test
    void nullInAMapIsRefusedByName() throws Exception {
        List<String> wrong = new ArrayList<>();
        int maps = 0;
        for (Class<?> type : exported()) {
            for (Executable e : executables(type)) {
                for (int i = 0; i < e.getParameterCount(); i++) {
                    if (e.getParameterTypes()[i] == Map.class
                            && !EXEMPT.contains(type.getSimpleName() + "." + called(e) + " " + names(type, e).get(i))) {
                        maps++;
                        String name = names(type, e).get(i);
                        Type[] of = ((ParameterizedType) e.getGenericParameterTypes()[i]).getActualTypeArguments();
                        Object key = some(erased(of[0]), 0);
                        Map<String, Object> given = new LinkedHashMap<>();
                        given.put(name + ": a key is null", Collections.singletonMap(null, some(erased(of[1]), 0)));
                        given.put(name + ": the value of '" + key + "' is null", Collections.singletonMap(key, null));
                        for (Map.Entry<String, Object> each : given.entrySet()) {
                            String complaint = complaint(type, e, i, each.getValue(), Pattern.quote(each.getKey()));
                            if (complaint != null) {
                                wrong.add(type.getSimpleName() + "." + called(e) + " " + each.getKey() + ": "
                                        + complaint);
                            }
                        }
                    }
                }
            }
        }
        assertTrue(maps > 7, "maps: " + maps);
        assertEquals("", String.join("\n", wrong));
    }

    private static Class<?> erased(Type type) {
        return (Class<?>) (type instanceof ParameterizedType of ? of.getRawType() : type);
    }

    private static String called(Executable e) {
        return e instanceof Constructor ? "<init>" : e.getName();
    }

    private static final List<Class<?>> EXPORTED = new ArrayList<>();

    private static List<Class<?>> exported() throws IOException, ClassNotFoundException {
        if (!EXPORTED.isEmpty()) {
            return EXPORTED;
        }
        ModuleDescriptor descriptor;
        try (var in =
                Files.newInputStream(Path.of(BadRequestException.class.getProtectionDomain().getCodeSource()
                .getLocation().getPath(), "module-info.class"))) {
            descriptor = ModuleDescriptor.read(in);
        }
        List<Class<?>> types = EXPORTED;
        for (ModuleDescriptor.Exports e : descriptor.exports()) {
            try (Stream<Path> files = Files.list(SOURCES.resolve(e.source().replace('.', '/')))) {
                for (Path file : files.filter(f -> f.toString().endsWith(".java") && !f.endsWith("package-info.java"))
                        .sorted().toList()) {
                    String name = e.source() + "." + file.getFileName().toString().replace(".java", "");
                    add(Class.forName(name, false, NullArgumentsTest.class.getClassLoader()), types);
                }
            }
        }
        return types;
    }

    private static void add(Class<?> type, List<Class<?>> types) {
        if (Modifier.isPublic(type.getModifiers()) && !Throwable.class.isAssignableFrom(type)) {
            types.add(type);
            for (Class<?> inner : type.getDeclaredClasses()) {
                add(inner, types);
            }
        }
    }

    private static List<Executable> executables(Class<?> type) {
        List<Executable> all = new ArrayList<>();
        if (!type.isEnum() && !Modifier.isAbstract(type.getModifiers())) {
            all.addAll(List.of(type.getConstructors()));
        }
        for (Method m : type.getDeclaredMethods()) {
            boolean ofEnum = type.isEnum() && m.getName().equals("valueOf");
            if (Modifier.isPublic(m.getModifiers()) && !Modifier.isAbstract(m.getModifiers()) && !m.isSynthetic()
                    && !ofEnum
                    && !m.getName().equals("equals") && !CALLBACKS.contains(type.getSimpleName())) {
                all.add(m);
            }
        }
        return all;
    }

    /** What is wrong with how null, or what holds it, is met; null if nothing. */
    private static String complaint(Class<?> type, Executable e, int index, Object given, String name)
            throws Exception {
        Object[] arguments = new Object[e.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = i == index ? given : some(e.getParameterTypes()[i], 0);
        }
        try {
            e.setAccessible(true);
            if (e instanceof Method m) {
                Object receiver = Modifier.isStatic(m.getModifiers()) ? null : some(type, 0);
                if (receiver == null && !Modifier.isStatic(m.getModifiers())) {
                    return "nothing to call it on";
                }
                m.invoke(receiver, arguments);
            } else {
                ((Constructor<?>) e).newInstance(arguments);
            }
            return "accepted";
        } catch (InvocationTargetException thrown) {
            Throwable t = thrown.getCause();
            String message = String.valueOf(t.getMessage());
            boolean refused = (t instanceof NullPointerException || t instanceof IllegalArgumentException)
                    && (message.matches("(?s)(.*\\W)?" + name + "(\\W.*)?") || e.getName().equals(message))
                    && !message.startsWith("Cannot ");
            return refused ? null : t.getClass().getSimpleName() + ": " + message;
        }
    }

    /** Something of the type, made without a constructor where there is no ready value. */
    private static Object some(Class<?> type, int depth) throws Exception {
        if (type.isPrimitive()) {
            return Array.get(Array.newInstance(type, 1), 0);
        }
        if (type.isArray()) {
            return Array.newInstance(type.getComponentType(), 0);
        }
        if (Enum.class.isAssignableFrom(type)) {
            return (type.isEnum() ? type : type.getSuperclass()).getEnumConstants()[0];
        }
        Object ready = Map.<Class<?>, Object>of(String.class, "x", List.class, List.of(), Set.class, Set.of(),
                Map.class, Map.of(), Optional.class, Optional.empty(), OptionalInt.class, OptionalInt.empty(),
                OptionalLong.class, OptionalLong.empty(), Path.class, Path.of("x"), Class.class, Object.class,
                Object.class, "x").get(type);
        if (ready != null) {
            return ready;
        }
        if (type.isRecord() && PtxInstruction.class.isAssignableFrom(type)) {
            return Catalogue.forms(type.asSubclass(PtxInstruction.class)).findFirst().orElseThrow();
        }
        if (type.isSealed()) {
            return some(type.getPermittedSubclasses()[0], depth + 1);
        }
        if (type.isInterface()) {
            return Proxy.newProxyInstance(NullArgumentsTest.class.getClassLoader(), new Class<?>[] {type},
                    (p, m, a) -> m.isDefault() ? java.lang.reflect.InvocationHandler.invokeDefault(p, m, a) : null);
        }
        if (Modifier.isAbstract(type.getModifiers())) {
            Optional<Class<?>> concrete = exported().stream()
                    .filter(c -> type.isAssignableFrom(c) && !Modifier.isAbstract(c.getModifiers())).findFirst();
            return concrete.isEmpty() ? null : allocate(concrete.get());
        }
        return allocate(type);
    }

    /** By reflection, since the compiler warns of this class. */
    private static Object allocate(Class<?> type) throws ReflectiveOperationException {
        Class<?> unsafe = Class.forName("sun.misc.Unsafe");
        Field field = unsafe.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        return unsafe.getMethod("allocateInstance", Class.class).invoke(field.get(null), type);
    }

    // ---- parameters' names

    private static List<String> names(Class<?> type, Executable e) {
        if (e instanceof Constructor<?> c && type.isRecord() && Arrays.equals(c.getParameterTypes(),
                Arrays.stream(type.getRecordComponents()).map(RecordComponent::getType).toArray())) {
            return Arrays.stream(type.getRecordComponents()).map(RecordComponent::getName).toList();
        }
        String key = type.getName() + " " + called(e) + " " + Arrays.stream(e.getParameterTypes())
                .map(Class::getSimpleName).toList();
        List<List<String>> found = NAMES.getOrDefault(key, List.of());
        assertEquals(1, found.size(), () -> "names of " + key);
        return found.getFirst();
    }

    private static void read(ClassTree type, String name) {
        for (Tree member : type.getMembers()) {
            if (member instanceof ClassTree inner) {
                read(inner, name + "$" + inner.getSimpleName());
            } else if (member instanceof MethodTree m) {
                Map<String, String> variables = new HashMap<>();
                Stream.concat(m.getTypeParameters().stream(), type.getTypeParameters().stream())
                        .forEach(p -> variables.putIfAbsent(
                        p.getName().toString(), p.getBounds().isEmpty() ? "Object"
                        : simple(p.getBounds().getFirst().toString())));
                List<String> types = m.getParameters().stream().map(VariableTree::getType).map(t -> {
                    String text = simple(t.toString());
                    String plain = text.replace("[]", "");
                    return variables.getOrDefault(plain, plain) + text.substring(plain.length());
                }).toList();
                NAMES.computeIfAbsent(name + " " + m.getName() + " " + types, _ -> new ArrayList<>())
                        .add(m.getParameters().stream().map(p -> p.getName().toString()).toList());
            }
        }
    }

    /** A type as {@link Class#getSimpleName} has it: without its arguments, and the classes that it is within. */
    private static String simple(String type) {
        String erased = type.replace("...", "[]");
        while (erased.contains("<")) {
            erased = erased.replaceAll("<[^<>]*>", "");
        }
        return erased.replaceAll("^.*\\.(?=\\w)", "").strip();
    }
}
