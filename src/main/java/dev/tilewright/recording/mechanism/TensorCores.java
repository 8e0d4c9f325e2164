package dev.tilewright.recording.mechanism;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.json.JsonFields;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.mma.MmaInstruction;
import dev.tilewright.ptx.mma.MmaShape;
import dev.tilewright.ptx.mma.MmaSync;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.ptx.mma.Wgmma;
import dev.tilewright.ptx.mma.WgmmaFloat;
import dev.tilewright.ptx.mma.WgmmaInteger;
import dev.tilewright.reference.tensor.TrialOperands;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * {@code mma} and {@code wgmma}: one tensor-core instruction on registers, and tiles in shared memory, that are filled
 * with numbers of its operands' type by the row's seed. The outcome is what registers hold afterwards, thread by thread
 * for each register.
 */
final class TensorCores implements RecordedMechanism {
    static final int TILE_BYTES = 48 * 1024;
    private static final SharedRegion.Buffer TILES = new SharedRegion.Buffer("tiles", TILE_BYTES, 1024);
    private static final Parameter.Int DESCRIPTOR_A = new Parameter.Int("descriptor_a",
            IntType.S64);
    private static final Parameter.Int DESCRIPTOR_B = new Parameter.Int("descriptor_b",
            IntType.S64);
    private static final Parameter.Int ADD = Steps.number("add");

    private final boolean warpgroup;
    private final ProgramCache<MmaInstruction> programs = new ProgramCache<>(TensorCores::program);

    TensorCores(boolean warpgroup) {
        this.warpgroup = warpgroup;
    }

    @Override
    public String kind() {
        return warpgroup ? "wgmma" : "mma";
    }

    // ---- what is drawn

    @Override
    public void draw(ObjectNode row, SplittableRandom random, int index) {
        if (warpgroup) {
            drawWarpgroup(row, random, index);
        } else {
            List<MmaSync> forms = new ArrayList<>();
            for (MmaTypes types : MmaTypes.values()) {
                for (MmaShape shape : MmaSync.shapes(types)) {
                    forms.add(new MmaSync(shape, types));
                    if (types.isInteger()) {
                        forms.add(new MmaSync(shape, types).withSatfinite());
                    }
                }
            }
            MmaSync form = forms.get(index % forms.size());
            row.put("types", form.types().name()).put("shape", form.shape().name())
                    .put("satfinite", form.satfinite() ? 1 : 0);
        }
        row.put("numbers", random.nextInt(TrialOperands.SORTS)).put("seed", random.nextInt(1 << 24));
    }

    private static void drawWarpgroup(ObjectNode row, SplittableRandom random, int index) {
        List<MmaTypes> all = Arrays.stream(MmaTypes.values()).filter(t -> t != MmaTypes.F64_F64_F64).toList();
        MmaTypes types = all.get(index % all.size());
        boolean integer = types.isInteger();
        // A few widths of each: kernels take longer to compile than to run.
        int[] widths = {8, 16, 32, 64, 96, 128, 192, 256};
        int turn = index / all.size();
        int n = widths[turn % widths.length];
        // The options of a width, always the same ones: so there are as many kernels as widths.
        SplittableRandom options = new SplittableRandom(31L * types.ordinal() + n);
        boolean registersA = options.nextInt(3) == 0;
        boolean may = types.a().bits() == 16;
        row.put("types", types.name()).put("n", n).put("registersA", registersA ? 1 : 0);
        row.put("satfinite", integer && options.nextBoolean() ? 1 : 0);
        row.put("negateA", !integer && options.nextInt(4) == 0 ? 1 : 0);
        row.put("negateB", !integer && options.nextInt(4) == 0 ? 1 : 0);
        row.put("transposeA", may && !registersA && options.nextBoolean() ? 1 : 0);
        row.put("transposeB", may && options.nextBoolean() ? 1 : 0);
        row.put("swizzleA", random.nextInt(4)).put("swizzleB", random.nextInt(4));
        row.put("startA", random.nextInt(4)).put("startB", random.nextInt(4))
                .put("add", random.nextInt(5) == 0 ? 0 : 1);
    }

    // ---- what a row says

    private MmaInstruction form(JsonFields row) {
        MmaTypes types = row.constant("types", MmaTypes.class);
        try {
            if (!warpgroup) {
                return new MmaSync(row.constant("shape", MmaShape.class), types, row.flag("satfinite"));
            }
            int n = row.number("n", 8, 256);
            return types.isInteger() ? new WgmmaInteger(types, n, row.flag("registersA"), row.flag("satfinite"))
                    : new WgmmaFloat(types, n, row.flag("registersA"), row.flag("negateA"), row.flag("negateB"),
                            row.flag("transposeA"), row.flag("transposeB"));
        } catch (IllegalArgumentException e) {
            throw JsonFields.wrong("types", "those of an instruction", e.getMessage());
        }
    }

    @Override
    public Experiment experiment(JsonFields row) {
        MmaInstruction form = form(row);
        int words = words(form) + (warpgroup ? TILE_BYTES / 4 : 0);
        byte[] in = numbers(types(form), row.number("numbers", 0, TrialOperands.SORTS - 1), row.integer("seed"), words);
        return form instanceof Wgmma f ? experiment(form, in, f.registersA() ? 0 : descriptor(row, f, true),
                descriptor(row, f, false), row.number("add", 0, 1)) : experiment(form, in, 0, 0, 0);
    }

    /**
     * An instruction on what registers, and behind them tiles in shared memory, hold.
     *
     * @param in registers in the order of the operands, register by register of all threads; the tiles of {@code wgmma}
     * @param descriptorA of A within the tiles, if it is there @param descriptorB of B, if it is there
     * @param add 1 to add to what d holds
     */
    Experiment experiment(MmaInstruction form, byte[] in, long descriptorA, long descriptorB, int add) {
        Experiment.Content out = Experiment.Content.fresh(TrialOperands.bytes(TrialOperands.operand(form, "d"), form));
        if (!(form instanceof Wgmma)) {
            return Experiment.of(programs.of(form), 1, Experiment.Content.of(in), out);
        }
        Map<Parameter, Argument> arguments = Map.of(Steps.IN, new Argument.Buffer(0), Steps.OUT, new Argument.Buffer(1),
                DESCRIPTOR_A, new Argument.Int(descriptorA), DESCRIPTOR_B, new Argument.Int(descriptorB),
                ADD, new Argument.Int(add));
        return Experiment.of(programs.of(form), 1, arguments, Experiment.Content.of(in), out);
    }

    private static long descriptor(JsonFields row, Wgmma form, boolean ofA) {
        Swizzle swizzle = List.of(Swizzle.NONE, Swizzle.B32, Swizzle.B64, Swizzle.B128)
                .get(row.number(ofA ? "swizzleA" : "swizzleB", 0, 3));
        int start = row.number(ofA ? "startA" : "startB", 0, 3);
        return TrialOperands.descriptor(form, ofA, swizzle, starts -> start % starts);
    }

    static MmaTypes types(MmaInstruction form) {
        return form instanceof MmaSync f ? f.types() : ((Wgmma) form).types();
    }

    /** The operands in registers; d comes first, and where an instruction has no c it is what is added to. */
    private static List<Operand> held(MmaInstruction form) {
        return form.inputs().stream().filter(o -> o.kind().isRegisters()).toList();
    }

    private static int words(MmaInstruction form) {
        return held(form).stream().mapToInt(o -> TrialOperands.bytes(o, form)).sum() / 4;
    }

    // ---- the kernel

    private static TileProgram program(MmaInstruction form) {
        boolean tiles = form instanceof Wgmma;
        List<Parameter> parameters = tiles ? List.of(Steps.IN, Steps.OUT, DESCRIPTOR_A, DESCRIPTOR_B, ADD)
                : List.of(Steps.IN, Steps.OUT);
        return new TileProgram("record_product", "one tensor-core instruction", TrialOperands.threads(form), parameters,
                new SharedLayout(tiles ? List.of(TILES) : List.of()), Body.steps(body -> {
                    if (tiles) {
                        Steps.fetch(body, TILES, Expr.of(TILE_BYTES), 4 * words(form), TrialOperands.threads(form));
                        body.purpose("the tensor cores see it").proxyFence(FenceProxyAsync.Memory.ALL);
                        body.purpose("all is there").syncThreads();
                    }
                    List<Register> registers = new ArrayList<>();
                    int at = 0;
                    for (Operand o : held(form)) {
                        registers.add(loaded(body, o, at, form));
                        at += TrialOperands.bytes(o, form);
                    }
                    if (form instanceof Wgmma f) {
                        warpgroup(body, f, registers);
                    } else {
                        body.purpose("multiply and add").issue(form,
                                registers.stream().map(Input::of).toArray(Input[]::new));
                    }
                    show(body, registers.getFirst(), form);
                }));
    }

    private static void warpgroup(Body body, Wgmma form, List<Register> registers) {
        Expr tiles = TILES.address().bitAnd(0x3FFFF).dividedBy(16).toS64();
        Input left = form.registersA() ? Input.of(registers.get(1)) : Input.of(DESCRIPTOR_A.value().plus(tiles));
        body.purpose("the registers were written").wgmmaFence();
        body.purpose("multiply and add").issue(form, Input.of(registers.getFirst()), left,
                Input.of(DESCRIPTOR_B.value().plus(tiles)), Input.of(ADD.value()));
        body.purpose("one group").wgmmaCommit();
        body.purpose("the sums are there").wgmmaWait(0);
    }

    private static Expr place(int register, Register of, MmaInstruction form) {
        return Steps.THREAD.plus(register * TrialOperands.threads(form)).times(of.type().bytes());
    }

    private static Register loaded(Body body, Operand o, int from, MmaInstruction form) {
        Register register = body.registers(o.name().toLowerCase(Locale.ROOT), Register.typeOf(o), o.count());
        for (int r = 0; r < o.count(); r++) {
            body.load(register, r, 1, Steps.in(place(r, register, form).plus(from)));
        }
        return register;
    }

    private static void show(Body body, Register d, MmaInstruction form) {
        for (int r = 0; r < d.count(); r++) {
            body.store(Steps.out(place(r, d, form)), new Value[] {d.at(r)});
        }
    }

    private static byte[] numbers(MmaTypes types, int sort, long seed, int words) {
        SplittableRandom random = new SplittableRandom(seed);
        ByteBuffer buffer = ByteBuffer.allocate(4 * words).order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.hasRemaining()) {
            if (types.a().bits() == 64) {
                buffer.putLong(TrialOperands.wide(random, sort));
            } else {
                buffer.putInt(TrialOperands.word(types.a(), random, sort));
            }
        }
        return buffer.array();
    }
}
