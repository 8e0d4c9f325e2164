package dev.tilewright.verify.draw;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.cache.CreatePolicyFractional;
import dev.tilewright.ptx.cache.EvictionPriority;
import dev.tilewright.ptx.mbarrier.MbarrierTestWaitParity;
import dev.tilewright.ptx.mbarrier.MbarrierWait;
import dev.tilewright.ptx.tensormap.TensormapReplace;
import dev.tilewright.ptx.warp.MatchSync;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a form is given: drawn numbers, words of the source, addresses of its own, all of them valid. */
final class FormInputs {
    /** cuda.h has no name for it: the access property of usual accesses. */
    private static final long NORMAL_PROPERTY = 0x10F0_0000_0000_0000L;
    private static final int ONE_HALF = 0x3F00_0000;

    private final FormProgram program;
    private final FormPart part;
    private final PtxInstruction form;
    private final boolean polled;
    private final FormChoices drawn;
    private final FormAddresses addresses;
    private final Map<Operand, Register> registers = new LinkedHashMap<>();

    FormInputs(FormProgram program, FormPart part, boolean polled, FormChoices drawn, FormAddresses addresses) {
        this.program = program;
        this.part = part;
        this.form = drawn.form();
        this.polled = polled;
        this.drawn = drawn;
        this.addresses = addresses;
    }

    /** The registers that it was given, by operand. */
    Map<Operand, Register> registers() {
        return registers;
    }

    List<Input> inputs(Body body) {
        List<Input> all = new ArrayList<>();
        int word = 0;
        Expr token = drawn.has("token") || form instanceof MbarrierWait
                ? body.arrive(part.firstBarrier()).token("phase_" + part.number()).value() : null;
        for (Operand o : form.inputs()) {
            all.add(input(body, o, token, word++));
        }
        return all;
    }

    private Input input(Body body, Operand o, Expr token, int word) {
        return switch (o.kind()) {
            case SHARED_ADDRESS, CLUSTER_ADDRESS, GLOBAL_ADDRESS, GLOBAL_DESTINATION, GENERIC_ADDRESS,
                    GENERIC_DESTINATION, TENSOR_MAP -> addresses.of(o);
            case COORDINATE -> Input.of(drawn.box().orElseThrow().coordinates()[o.name().charAt(1) - '0']);
            case TOKEN -> Input.of(token);
            case B32_REGISTERS, S32_REGISTERS, F32_REGISTERS, F64_REGISTERS -> Input.of(registers(body, o, word));
            default -> Input.of(number(body, o, word));
        };
    }

    private Register registers(Body body, Operand o, int word) {
        ValueType type = Register.typeOf(o);
        Register register = body.registers(o.name() + "_" + part.number(), type, o.count());
        registers.put(o, register);
        if (o.access().reads()) {
            for (int r = 0; r < o.count(); r++) {
                body.load(register, r, 1, program.word(part.number(), word + r));
            }
        }
        return register;
    }

    private Expr number(Body body, Operand o, int word) {
        boolean wide = o.kind().isWide();
        return switch (o.name()) {
            case "bytes" -> Expr.of(drawn.bytes());
            case "src_bytes" -> Expr.of(Math.min(drawn.below32(), (int) form.effects().accesses().stream()
                    .filter(a -> a.operand().equals("dst")).map(a -> ((Effects.Extent.Fixed) a.extent()).bytes())
                    .findFirst().orElseThrow()));
            case "cta_mask" -> Expr.of(3);
            case "count", "arrivals" -> Expr.of(drawn.arriving());
            case "threads" -> Expr.of(program.threads());
            case "barrier" -> Expr.of(1 + part.number());
            case "members" -> Expr.of(-1);
            case "clamp" -> Expr.of(drawn.oneOfThree() == 0 ? 0x1F : drawn.oneOfThree() == 1 ? 0 : 0x181F);
            case "parity" -> Expr.of(!polled && form instanceof MbarrierTestWaitParity ? drawn.missingArrivals() : 0);
            case "time_limit" -> Expr.of(10_000);
            case "policy" -> body.issue("policy_" + part.number(),
                    new CreatePolicyFractional(EvictionPriority.EVICT_FIRST));
            case "property" -> Expr.of(NORMAL_PROPERTY);
            case "fraction" -> Expr.of(ONE_HALF);
            case "primary_bytes" -> Expr.of(1024);
            case "total_bytes" -> Expr.of(4096);
            case "cta" -> Expr.of(drawn.oneOfThree() & 1);
            case "address" -> addresses.asked(body, o);
            case "offset0", "offset1", "offset2" ->
                    Expr.of(drawn.box().orElseThrow().offsets()[o.name().charAt(6) - '0']);
            case "predicate", "ignore_src" -> loaded(body, false, word).bitAnd(1);
            case "value" -> form instanceof TensormapReplace f ? replaced(f)
                    : form instanceof MatchSync ? matched(loaded(body, wide, word), wide) : loaded(body, wide, word);
            case "value0", "value1", "value2", "value3", "replacement" -> loaded(body, wide, word);
            // As lanes and nanoseconds: what needs another number has a line here.
            default -> wide ? Expr.of((long) drawn.below32()) : Expr.of(drawn.below32());
        };
    }

    private Expr loaded(Body body, boolean wide, int word) {
        return body.load("word_" + part.number(), wide ? ValueType.I64 : ValueType.I32,
                program.word(part.number(), word)).toIndex();
    }

    /** One of a few values, so that lanes have equals. */
    private static Expr matched(Expr word, boolean wide) {
        return wide ? word.bitAnd(Expr.of(3L)) : word.bitAnd(3);
    }

    /** What the field of a tensor map can be. */
    private Expr replaced(TensormapReplace f) {
        return switch (f.field()) {
            case GLOBAL_ADDRESS -> Expr.of(0x7F12_3456_7800L + 16L * drawn.below32());
            case RANK -> Expr.of(drawn.below32() % 5);
            case BOX_DIM -> Expr.of(1 + 8 * drawn.below32());
            case GLOBAL_DIM -> Expr.of(1 + 123_456 * drawn.below32());
            case GLOBAL_STRIDE -> Expr.of(16L + 0x12_3456_7890L / 32 * drawn.below32() / 16 * 16);
            case ELEMENT_STRIDE -> Expr.of(1 + drawn.below32() % 8);
            default -> Expr.of(0);
        };
    }
}
