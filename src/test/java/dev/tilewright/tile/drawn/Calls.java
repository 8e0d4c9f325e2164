package dev.tilewright.tile.drawn;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Loads the classes that draw so that they say which methods they call: each of a class of {@code
 * dev.tilewright.tile}, or of values, is added to a set just before its call, or where there is a reference to
 * it.
 */
public final class Calls extends ClassLoader {
    private static final ScopedValue<Set<String>> MADE = ScopedValue.newInstance();
    private static final String DRAWING = Calls.class.getPackageName() + ".";
    private static final Set<String> VALUES = Set.of("dev/tilewright/program/expression/Value",
            "dev/tilewright/program/expression/ElementArithmetic");
    private static final String LANGUAGE = "dev/tilewright/tile/";

    private Calls() {
        super(Calls.class.getClassLoader());
    }

    /** Draws kernels of the seeds from 0 on, and adds what is called to a set: {@link #name}s. */
    static void draw(int kernels, Set<String> made) throws ReflectiveOperationException {
        Class<?> kernel = new Calls().loadClass(DRAWING + "DrawnKernel");
        Method of = kernel.getMethod("of", long.class);
        Method stencil = kernel.getMethod("stencil", long.class);
        ScopedValue.where(MADE, made).call(() -> {
            for (long seed = 0; seed < kernels; seed++) {
                of.invoke(null, seed);
                stencil.invoke(null, seed);
            }
            return null;
        });
    }

    /** How a method is named here. */
    static String name(Method method) {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName()
                + MethodTypeDesc.of(method.getReturnType().describeConstable().orElseThrow(), Stream.of(
                        method.getParameterTypes()).map(type -> type.describeConstable().orElseThrow()).toList())
                .descriptorString();
    }

    /** Called by what this loads. */
    public static void made(String call) {
        MADE.get().add(call);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(DRAWING) || name.equals(Calls.class.getName())) {
            return super.loadClass(name, resolve);
        }
        Class<?> known = findLoadedClass(name);
        return known != null ? known : define(name);
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (file == null) {
                throw new ClassNotFoundException(name);
            }
            ClassFile classFile = ClassFile.of();
            byte[] bytes = classFile.transformClass(classFile.parse(file.readAllBytes()),
                    ClassTransform.transformingMethodBodies(Calls::tell));
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void tell(CodeBuilder code, CodeElement element) {
        switch (element) {
            case InvokeInstruction call -> tell(code, call.owner().asInternalName(), call.name().stringValue(),
                    call.type().stringValue());
            case InvokeDynamicInstruction call -> call.bootstrapArgs().stream()
                    .filter(DirectMethodHandleDesc.class::isInstance).map(DirectMethodHandleDesc.class::cast)
                    .forEach(to -> tell(code, to.owner().descriptorString().replaceAll("^L|;$", ""), to.methodName(),
                            to.lookupDescriptor()));
            default -> { }
        }
        code.with(element);
    }

    private static void tell(CodeBuilder code, String owner, String method, String descriptor) {
        if (owner.startsWith(LANGUAGE) && owner.lastIndexOf('/') == LANGUAGE.length() - 1 || VALUES.contains(owner)) {
            code.ldc(owner.substring(owner.lastIndexOf('/') + 1) + "." + method + descriptor).invokestatic(
                    ClassDesc.of(Calls.class.getName()), "made", MethodTypeDesc.of(ConstantDescs.CD_void,
                            ConstantDescs.CD_String));
        }
    }
}
