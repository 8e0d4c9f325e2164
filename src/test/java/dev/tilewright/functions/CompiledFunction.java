package dev.tilewright.functions;

import static java.lang.classfile.TypeKind.DOUBLE;
import static java.lang.classfile.TypeKind.FLOAT;
import static java.lang.classfile.TypeKind.INT;
import static java.lang.classfile.TypeKind.LONG;

import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.Conversion;
import dev.tilewright.program.value.ValueType;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.AccessFlag;
import java.util.HashMap;
import java.util.Map;

/**
 * A function of values as bytecode, so that billions of arguments can be tried: the tree itself is translated,
 * operation by operation, into Java's own arithmetic. It shares nothing with the reference, against which it is held;
 * it knows only the operations that functions use.
 */
public final class CompiledFunction {
    /** A function of floats. */
    public interface OfFloat {
        float apply(float x);
    }

    /** A function of two floats. */
    public interface OfFloats {
        float apply(float x, float y);
    }

    /** A function of doubles. */
    public interface OfDouble {
        double apply(double x);
    }

    /** A function of two doubles. */
    public interface OfDoubles {
        double apply(double x, double y);
    }

    private static final ClassDesc OPERATIONS = ClassDesc.of(JavaOperations.class.getName());

    private final CodeBuilder code;
    private final Map<Register, Integer> slots = new HashMap<>();

    private CompiledFunction(CodeBuilder code) {
        this.code = code;
    }

    /** @param type one of the interfaces above, by the function's parameters */
    public static <T> T compile(ValueFunction function, Class<T> type) {
        ClassDesc self = ClassDesc.of(CompiledFunction.class.getPackageName() + ".Compiled_" + function.name());
        ClassDesc word = function.type() == ValueType.F32 ? ConstantDescs.CD_float : ConstantDescs.CD_double;
        ClassDesc[] parameters = function.parameters().stream().map(_ -> word).toArray(ClassDesc[]::new);
        byte[] bytes = ClassFile.of().build(self, c -> c.withInterfaceSymbols(ClassDesc.of(type.getName()))
                .withMethodBody(ConstantDescs.INIT_NAME, ConstantDescs.MTD_void, AccessFlag.PUBLIC.mask(),
                        m -> m.aload(0).invokespecial(ConstantDescs.CD_Object, ConstantDescs.INIT_NAME,
                                ConstantDescs.MTD_void).return_())
                .withMethodBody("apply", MethodTypeDesc.of(word, parameters), AccessFlag.PUBLIC.mask(),
                        m -> new CompiledFunction(m).write(function)));
        try {
            return type.cast(MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass().getConstructor()
                    .newInstance());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(function.name(), e);
        }
    }

    private void write(ValueFunction function) {
        for (int i = 0; i < function.parameters().size(); i++) {
            slots.put(function.parameters().get(i), code.parameterSlot(i));
        }
        for (ValueFunction.Let let : function.lets()) {
            value(let.value());
            TypeKind kind = kind(let.register().type());
            int slot = code.allocateLocal(kind);
            code.storeLocal(kind, slot);
            slots.put(let.register(), slot);
        }
        value(function.result());
        code.return_(kind(function.type()));
    }

    private static TypeKind kind(ValueType type) {
        return switch (type) {
            case PRED, I32, U32 -> INT;
            case I64, U64 -> LONG;
            case F32 -> FLOAT;
            case F64 -> DOUBLE;
            default -> throw new UnsupportedOperationException(type.toString());
        };
    }

    private void value(Value value) {
        switch (value) {
            case Value.Const c -> {
                switch (kind(c.type())) {
                    case INT -> code.loadConstant((int) c.word());
                    case LONG -> code.loadConstant(c.word());
                    case FLOAT -> code.loadConstant(Float.intBitsToFloat((int) c.word()));
                    default -> code.loadConstant(Double.longBitsToDouble(c.word()));
                }
            }
            case Value.Element e -> code.loadLocal(kind(e.type()), slots.get(e.register()));
            case Value.Unary u -> {
                value(u.value());
                call(u.op().toString(), u.type(), u.type());
            }
            case Value.Binary b -> {
                value(b.left());
                value(b.right());
                binary(b.op(), b.type());
            }
            case Value.Fma f -> {
                value(f.a());
                value(f.b());
                value(f.c());
                ClassDesc t = descriptor(f.type());
                code.invokestatic(ClassDesc.of("java.lang.Math"), "fma", MethodTypeDesc.of(t, t, t, t));
            }
            case Value.Compare c -> {
                value(c.left());
                value(c.right());
                ClassDesc t = descriptor(c.left().type());
                String prefix = c.left().type() == ValueType.U32 || c.left().type() == ValueType.U64 ? "unsigned_" : "";
                code.invokestatic(OPERATIONS, prefix + c.comparison().name().toLowerCase(),
                        MethodTypeDesc.of(ConstantDescs.CD_int, t, t));
            }
            case Value.Select s -> {
                Label no = code.newLabel();
                Label end = code.newLabel();
                value(s.condition());
                code.ifeq(no);
                value(s.yes());
                code.goto_(end).labelBinding(no);
                value(s.no());
                code.labelBinding(end);
            }
            case Value.Convert c -> {
                value(c.value());
                convert(c.conversion());
            }
            case Value.BitCast b -> {
                value(b.value());
                call("cast", b.value().type(), b.type());
            }
            default ->
                    throw new UnsupportedOperationException(value.toString());
        }
    }

    private void binary(BinaryOp op, ValueType type) {
        TypeKind kind = kind(type);
        boolean isUnsigned = !type.isSigned();
        switch (op) {
            case ADD, SUB, MUL, DIV -> {
                int k = kind == INT ? 0 : kind == LONG ? 1 : kind == FLOAT ? 2 : 3;
                switch (op) {
                    case ADD -> arithmetic(k, code::iadd, code::ladd, code::fadd, code::dadd);
                    case SUB -> arithmetic(k, code::isub, code::lsub, code::fsub, code::dsub);
                    case MUL -> arithmetic(k, code::imul, code::lmul, code::fmul, code::dmul);
                    default -> arithmetic(k, null, null, code::fdiv, code::ddiv);
                }
            }
            default -> {
                ClassDesc t = descriptor(type);
                code.invokestatic(OPERATIONS, (isUnsigned && type.isInteger() ? "unsigned_" : "") + op,
                        MethodTypeDesc.of(t, t, t));
            }
        }
    }

    private static void arithmetic(int which, Runnable... byKind) {
        byKind[which].run();
    }

    private void convert(Conversion c) {
        String from = c.from() == ValueType.U32 || c.from() == ValueType.U64 ? "unsigned_" : "";
        code.invokestatic(OPERATIONS, from + "to_" + kind(c.to()).name().toLowerCase(),
                MethodTypeDesc.of(descriptor(c.to()), descriptor(c.from())));
    }

    private void call(String name, ValueType from, ValueType to) {
        code.invokestatic(OPERATIONS, name + (name.equals("cast") ? "_" + kind(to).name().toLowerCase() : ""),
                MethodTypeDesc.of(descriptor(to), descriptor(from)));
    }

    private static ClassDesc descriptor(ValueType type) {
        return switch (kind(type)) {
            case INT -> ConstantDescs.CD_int;
            case LONG -> ConstantDescs.CD_long;
            case FLOAT -> ConstantDescs.CD_float;
            default -> ConstantDescs.CD_double;
        };
    }
}
