package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.reflect.AccessFlag;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * No two classes can wait for each other's initialization, as two threads would that begin with one each (JLS 12.4.2):
 * what initializing a class initializes further, told from bytecode, leads back to it from none, the constants with
 * bodies of an enum aside, which nobody reaches but through the enum. Start-up initializes many classes in several
 * threads.
 */
class ClassInitializationTest {
    private final Map<String, ClassModel> classes = new TreeMap<>();
    private final Map<String, MethodModel> methods = new HashMap<>();

    private void read(Path file) {
        try {
            ClassModel model = ClassFile.of().parse(file);
            String name = model.thisClass().asInternalName();
            classes.put(name, model);
            model.methods().forEach(m -> methods.put(
                    name + "." + m.methodName().stringValue() + m.methodType().stringValue(), m));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * What initializing a class initializes: what it extends, and what its initializer, and all that calls, touches.
     */
    private Set<String> touched(String name) {
        ClassModel model = classes.get(name);
        Set<String> touched = new TreeSet<>();
        model.superclass().map(ClassEntry::asInternalName).ifPresent(touched::add);
        if (!model.flags().has(AccessFlag.INTERFACE)) {
            addInterfaces(model, touched);
        }
        Set<String> seen = new HashSet<>();
        Deque<String> open = new ArrayDeque<>(List.of(name + ".<clinit>()V"));
        while (!open.isEmpty()) {
            String method = open.pop();
            if (seen.add(method) && methods.containsKey(method)) {
                methods.get(method).code().ifPresent(code -> code.forEach(e -> add(e, touched, open)));
            }
        }
        touched.retainAll(classes.keySet());
        touched.remove(name);
        return touched;
    }

    /** A class initializes the interfaces that have default methods. */
    private void addInterfaces(ClassModel model, Set<String> touched) {
        for (ClassEntry entry : model.interfaces()) {
            ClassModel one = classes.get(entry.asInternalName());
            if (one != null) {
                if (one.methods().stream().anyMatch(
                        m -> !m.flags().has(AccessFlag.ABSTRACT) && !m.flags().has(AccessFlag.STATIC))) {
                    touched.add(entry.asInternalName());
                }
                addInterfaces(one, touched);
            }
        }
    }

    private static void add(CodeElement element, Set<String> touched, Deque<String> calls) {
        switch (element) {
            case NewObjectInstruction n -> touched.add(n.className().asInternalName());
            case FieldInstruction f when f.opcode() == Opcode.GETSTATIC || f.opcode() == Opcode.PUTSTATIC ->
                    touched.add(f.owner().asInternalName());
            case InvokeInstruction i -> {
                if (i.opcode() == Opcode.INVOKESTATIC) {
                    touched.add(i.owner().asInternalName());
                }
                calls.add(i.owner().asInternalName() + "." + i.name().stringValue() + i.type().stringValue());
            }
            case InvokeDynamicInstruction i -> i.bootstrapArgs().forEach(argument -> {
                if (argument instanceof DirectMethodHandleDesc handle) {
                    String owner = handle.owner().descriptorString();
                    calls.add(owner.substring(1, owner.length() - 1) + "." + handle.methodName()
                            + handle.lookupDescriptor());
                }
            });
            default -> { }
        }
    }

    private static boolean reaches(String from, String to, Map<String, Set<String>> edges) {
        Set<String> seen = new HashSet<>();
        Deque<String> open = new ArrayDeque<>(edges.get(from));
        while (!open.isEmpty()) {
            String name = open.pop();
            if (name.equals(to)) {
                return true;
            }
            if (seen.add(name)) {
                open.addAll(edges.get(name));
            }
        }
        return false;
    }

    private static boolean isConstantOf(String constant, String type) {
        return constant.startsWith(type + "$") && constant.substring(type.length() + 1).chars()
                .allMatch(Character::isDigit);
    }

    @Test
    void noClassesWaitForEachOther() throws IOException, URISyntaxException {
        Path root = Path.of(BadRequestException.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (Stream<Path> files = Files.walk(root)) {
            files.filter(f -> f.toString().endsWith(".class") && !f.endsWith("module-info.class")).forEach(this::read);
        }
        assertTrue(classes.size() > 500, "classes: " + classes.size());
        Map<String, Set<String>> edges = new TreeMap<>();
        classes.keySet().forEach(name -> edges.put(name, touched(name)));
        List<String> cycles = new ArrayList<>();
        edges.forEach((name, next) -> next.forEach(other -> {
            if (!isConstantOf(name, other) && !isConstantOf(other, name) && reaches(other, name, edges)) {
                cycles.add(name + " -> " + other);
            }
        }));
        assertEquals(List.of(), cycles);
    }
}
