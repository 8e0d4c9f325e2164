package dev.tilewright.cli.kernel;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.reference.compile.Binding;
import dev.tilewright.tile.TileKernel;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

/**
 * What a static member of a class of the user's own gives.
 *
 * @param name the member, such as {@code my.Kernels#softmax}
 * @param given an {@link ElementwiseKernel}, a {@link TileKernel}, a {@link TileProgram} or a {@link Launch}
 * @param type the class
 */
record UserProgram(String name, Object given, Class<?> type) {
    private static final Pattern NAME = Pattern.compile("([^#/\\s]+)#([^#/\\s]+)");
    private static final List<Class<?>> TYPES = List.of(ElementwiseKernel.class, TileKernel.class, TileProgram.class,
            Launch.class);
    private static final String WANTED = "an ElementwiseKernel, a TileKernel, a TileProgram or a Launch";

    /**
     * Whether a program is named on the command line.
     *
     * @throws BadRequestException if only one of {@code --program} and {@code --class-path} is there
     */
    static boolean isNamed(String program, List<Path> classPath) {
        if (program == null && classPath != null) {
            throw new BadRequestException("--class-path says where --program is, and there is no --program");
        }
        if (program != null && classPath == null) {
            throw new BadRequestException("--program " + program + " needs --class-path PATH, the folder or jar of its "
                    + "class");
        }
        return program != null;
    }

    /**
     * Loads the class in a loader of its own and reads its field or calls its method. What that prints goes to standard
     * error: standard output is the command's. One thread at a time, as System.out is the process's.
     *
     * @param classPath folders and jars
     * @param name {@code CLASS#MEMBER}
     * @throws BadRequestException if there is no such member, or it gives something else
     * @throws UserCodeException if the user's code fails
     */
    static synchronized UserProgram load(List<Path> classPath, String name, Terminal terminal) {
        Matcher parts = NAME.matcher(name);
        if (!parts.matches()) {
            throw new BadRequestException("--program takes CLASS#MEMBER such as my.Kernels#softmax, got '" + name
                    + "'");
        }
        PrintStream standard = System.out;
        System.setOut(terminal.err());
        // The loader stays open: a kernel's own code may be called later.
        try {
            UserClassLoader loader = new UserClassLoader(urls(classPath));
            Class<?> type = type(loader, classPath, parts.group(1));
            return new UserProgram(name, given(type, parts.group(2), name), type);
        } finally {
            System.setOut(standard);
        }
    }

    /**
     * What a launch's buffers hold: what a static method of the class gives that takes an {@link Arena}.
     *
     * @throws BadRequestException if there is none of this name, or it gives something else, or what does not suit the
     *     launch
     * @throws UserCodeException if it fails
     */
    List<MemorySegment> memory(String method, Launch launch, Arena arena) {
        String named = "--memory " + method;
        try {
            Method found = type.getDeclaredMethod(method, Arena.class);
            if (!Modifier.isStatic(found.getModifiers())) {
                throw new BadRequestException(named + " is not static: it is a static method that takes an Arena");
            }
            found.setAccessible(true);
            List<MemorySegment> segments = segments(named, found.invoke(null, arena));
            Binding.of(launch, segments);
            return segments;
        } catch (NoSuchMethodException e) {
            throw new BadRequestException(named + ": class " + type.getName()
                    + " has no method of that name that takes an Arena", e);
        } catch (InvocationTargetException e) {
            throw failed(e.getCause(), named + " of " + type.getName());
        } catch (IllegalAccessException e) {
            throw new BadRequestException(named + " cannot be called: " + e.getMessage(), e);
        } catch (BadRequestException e) {
            throw e;
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(named + " gives what does not suit the launch: " + e.getMessage(), e);
        }
    }

    private static List<MemorySegment> segments(String named, Object given) {
        String wanted = ", and has to give a List<MemorySegment>, one for each buffer";
        if (!(given instanceof List<?> list)) {
            throw new BadRequestException(named + " gives " + typeOf(given) + wanted);
        }
        List<MemorySegment> segments = new ArrayList<>();
        for (Object element : list) {
            String which = named + " gives a list whose element " + segments.size() + " is ";
            if (!(element instanceof MemorySegment segment)) {
                throw new BadRequestException(which + typeOf(element) + wanted);
            }
            if (!segment.scope().isAlive()) {
                throw new BadRequestException(which + "memory of an arena that is closed: allocate it from the one "
                        + "that the method is given");
            }
            segments.add(segment);
        }
        return segments;
    }

    /** {@code null}, or {@code a java.lang.String}. */
    private static String typeOf(Object given) {
        return given == null ? "null" : "a " + Objects.requireNonNullElse(given.getClass().getCanonicalName(),
                given.getClass().getName());
    }

    /** The program. */
    TileProgram program() {
        return switch (given) {
            case ElementwiseKernel kernel -> kernel.program();
            case Launch launch -> launch.program();
            default -> (TileProgram) given;
        };
    }

    private static URL[] urls(List<Path> classPath) {
        List<URL> urls = new ArrayList<>();
        for (Path entry : classPath) {
            if (!Files.exists(entry)) {
                throw new BadRequestException("--class-path names " + entry + ", and there is no such file or folder");
            }
            if (!Files.isDirectory(entry) && !isJar(entry)) {
                throw new BadRequestException("--class-path names " + entry + ", which is neither a folder nor a jar");
            }
            try {
                urls.add(entry.toUri().toURL());
            } catch (MalformedURLException e) {
                throw new BadRequestException("--class-path cannot name " + entry, e);
            }
        }
        return urls.toArray(URL[]::new);
    }

    private static boolean isJar(Path file) {
        try (ZipFile _ = new ZipFile(file.toFile())) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static Class<?> type(UserClassLoader loader, List<Path> classPath, String name) {
        String path = classPath.stream().map(Path::toString).collect(Collectors.joining(":"));
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            throw new BadRequestException("there is no class " + name + " in --class-path " + path, e);
        } catch (UnsupportedClassVersionError e) {
            throw new BadRequestException("class " + name + " was compiled for a newer Java than this one, "
                    + Runtime.version().feature() + ": run the command with that, or compile with --release "
                    + Runtime.version().feature(), e);
        } catch (LinkageError e) {
            throw new BadRequestException("class " + name + " in --class-path " + path + " cannot be loaded: " + e, e);
        }
    }

    private static Object given(Class<?> type, String member, String name) {
        try {
            for (Class<?> at = type; at != null; at = at.getSuperclass()) {
                for (Field field : at.getDeclaredFields()) {
                    if (field.getName().equals(member)) {
                        open(field, name);
                        return wanted(field.get(null), name);
                    }
                }
                List<Method> methods = Stream.of(at.getDeclaredMethods()).filter(m -> m.getName().equals(member)
                        && !m.isBridge()).toList();
                if (!methods.isEmpty()) {
                    Method method = methods.stream().filter(m -> m.getParameterCount() == 0).findFirst()
                            .orElseThrow(() ->
                            new BadRequestException("--program " + name + " takes parameters: a method must take "
                                    + "none"));
                    open(method, name);
                    return wanted(method.invoke(null), name);
                }
            }
        } catch (InvocationTargetException e) {
            throw failed(e.getCause(), "--program " + name);
        } catch (ExceptionInInitializerError e) {
            throw failed(e.getCause() == null ? e : e.getCause(), "--program " + name);
        } catch (IncompatibleClassChangeError e) {
            throw new BadRequestException("class " + type.getName() + " was compiled against other versions of what it "
                    + "calls: " + e.getMessage() + "; compile it again with this tilewright's jar", e);
        } catch (LinkageError e) {
            throw new BadRequestException("class " + type.getName() + " needs what --class-path does not have: " + e,
                    e);
        } catch (IllegalAccessException e) {
            throw new BadRequestException("--program " + name + " cannot be read: " + e.getMessage(), e);
        }
        String members = candidates(type);
        throw new BadRequestException("class " + type.getName() + " has no field or method '" + member + "'"
                + (members.isEmpty() ? "; none of its static members gives " + WANTED : ": it has " + members));
    }

    private static <M extends AccessibleObject & Member> void open(M member, String name) {
        if (!Modifier.isStatic(member.getModifiers())) {
            throw new BadRequestException("--program " + name + " is not static: a kernel is a static field, or a "
                    + "static method without parameters");
        }
        member.setAccessible(true);
    }

    private static Object wanted(Object given, String name) {
        if (TYPES.stream().noneMatch(type -> type.isInstance(given))) {
            throw new BadRequestException("--program " + name + " gives " + typeOf(given) + ", and has to give "
                    + WANTED);
        }
        return given;
    }

    /** An error of the user's, or one that the virtual machine made of what it lacks. */
    private static RuntimeException failed(Throwable cause, String name) {
        if (cause instanceof OutOfMemoryError e) {
            throw e;
        }
        return new UserCodeException(name, cause, UserClassLoader.NAME);
    }

    /** Members that would do. */
    private static String candidates(Class<?> type) {
        try {
            Stream<String> fields = Stream.of(type.getDeclaredFields()).filter(f -> Modifier.isStatic(f.getModifiers())
                    && isWanted(f.getType())).map(Field::getName);
            Stream<String> methods = Stream.of(type.getDeclaredMethods())
                    .filter(m -> Modifier.isStatic(m.getModifiers())
                    && m.getParameterCount() == 0 && isWanted(m.getReturnType())).map(Method::getName);
            return Stream.concat(fields, methods).sorted().distinct().collect(Collectors.joining(", "));
        } catch (LinkageError e) {
            return "";
        }
    }

    private static boolean isWanted(Class<?> type) {
        return TYPES.stream().anyMatch(wanted -> wanted.isAssignableFrom(type));
    }
}
