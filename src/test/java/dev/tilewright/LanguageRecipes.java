package dev.tilewright;

import java.util.Map;
import java.util.stream.Stream;

/** New members of the languages of programs and tiles: each becomes steps that a kernel performs. */
final class LanguageRecipes {
    private LanguageRecipes() {
    }

    static Stream<Recipe> all() {
        return Stream.of(
                new Recipe("A PTX instruction: 3 files", "WarpInstruction", Map.of(
                        "ptx/warp/WarpInstruction", Map.of("Nanosleep, ReduxSync", "Naptime, "),
                        "reference/compile/InstructionCompiler", Map.of("            case Nanosleep _ ->",
                                "            case dev.tilewright.ptx.warp.Naptime _ -> List.of();\n")),
                        Map.of("ptx/warp/Naptime", """
                                package dev.tilewright.ptx.warp;

                                import dev.tilewright.ptx.About;
                                import dev.tilewright.ptx.Form;
                                import dev.tilewright.ptx.StepRole;

                                @About(section = "", role = StepRole.OTHER, summary = "")
                                public record Naptime() implements WarpInstruction {
                                    @Override
                                    public Form form() {
                                        return new Nanosleep().form();
                                    }
                                }
                                """),
                        use("WarpInstruction", """
                                body.issue(new dev.tilewright.ptx.warp.Naptime(), Input.of(20));
                                body.store(R.at(0), Value.i32(42));
                                """, "nanosleep.u32")),
                new Recipe("A value node: 2 files", "Value", Map.of(
                        "program/expression/Value", Map.of("            case Unary u ->",
                                "            case Twice t -> new Twice(change.apply(t.value()));\n",
                                "    /** A comparison of two values of one type", """
                                    record Twice(Value value) implements Compound {
                                        @Override
                                        public ValueType type() {
                                            return value.type();
                                        }

                                        @Override
                                        public List<Value> parts() {
                                            return List.of(value);
                                        }

                                        @Override
                                        public long word(long... parts) {
                                            return 2 * parts[0];
                                        }
                                    }

                                """),
                        "emit/ValueText", Map.of("            case Value.Dp4a _ ->",
                                "            case Value.Twice _ -> \"(2 * \" + a[0] + \")\";\n")),
                        Map.of(), use("Value", "body.store(R.at(0), new Value.Twice(Value.i32(21)));", "(2 * 21)")),
                new Recipe("An operation: 4 files", "Operation", Map.of(
                        "program/Operation", Map.of("    /** Leaves the innermost loop", """
                                    record Raise(Register variable, Value by) implements Operation {
                                        @Override
                                        public String summary() {
                                            return "raise " + variable.name();
                                        }

                                        @Override
                                        public Stream<Value> parts() {
                                            return Stream.of(variable.get(), by);
                                        }

                                        @Override
                                        public List<Written> changes() {
                                            return List.of(new Written(variable, Expr.of(0), 1));
                                        }
                                    }

                                """),
                        "program/Body", Map.of("    /** Leaves the innermost loop. */", """
                                    public void raise(Register variable, Value by) {
                                        add(new Operation.Raise(variable, by));
                                    }

                                """),
                        "emit/StepText", Map.of("            case Operation.Guard(", """
                                            case Operation.Raise(Register variable, Value by) ->
                                                    out.line(names.of(variable) + " += " + values.of(by) + ";");
                                """),
                        "reference/compile/ProgramCompiler", Map.of("            case Operation.Guard guard ->", """
                                            case Operation.Raise(Register variable, Value by) ->
                                                    add(new ValueOps.Fill(slots.of(variable), 1,
                                                    expressions.values().word(variable.get().plus(by))));
                                """)),
                        Map.of(), use("Operation", """
                                var sum = body.variable("sum", Value.i32(40));
                                body.raise(sum, Value.i32(2));
                                body.store(R.at(0), sum.get());
                                """, "sum += 2;")),
                new Recipe("An input of an instruction: 3 files", "Input", Map.of(
                        "program/expression/Input", Map.of("    /**\n     * 128 bits.\n", """
                                    record Next(Expr value) implements Input {
                                        @Override
                                        public Predicate<Operand> fits() {
                                            return new Number(value).fits();
                                        }

                                        @Override
                                        public String title() {
                                            return "the next number";
                                        }

                                        @Override
                                        public Stream<Value> parts() {
                                            return Stream.of(new Value.Index(value));
                                        }
                                    }

                                """),
                        "emit/StepText", Map.of("            case Input.Wide(",
                                "            case Input.Next(Expr value) -> expressions.of(value) + \" + 1\";\n"),
                        "reference/compile/PlaceCompiler", Map.of(
                                "            case Input.Number(Expr value) -> expressions.index", """
                                            case Input.Next(Expr value) -> expressions.index(value.plus(1));
                                """)),
                        Map.of(), use("Input", """
                                body.issue(Red.relaxed(Scope.GPU, Space.GLOBAL, AtomicOp.ADD, DataType.U32),
                                        Input.of(R.at(0)), new Input.Next(Expr.of(41)));
                                """, "41 + 1")),
                new Recipe("A kind of address: 3 files", "Address", Map.of(
                        "program/expression/Address", Map.of("    /**\n     * An mbarrier.\n", """
                                    record Start(Parameter.Pointer pointer) implements Address {
                                        @Override
                                        public Optional<Object> memory() {
                                            return Optional.of(pointer);
                                        }

                                        @Override
                                        public List<Expr> numbers() {
                                            return List.of();
                                        }

                                        @Override
                                        public String title() {
                                            return "the start of '" + pointer.name() + "'";
                                        }
                                    }

                                """),
                        "emit/StepText", Map.of("            case Address.Global g ->",
                                "            case Address.Start(var pointer) -> \"&*\" + names.of(pointer);\n"),
                        "reference/compile/PlaceCompiler", Map.of(
                                "            case Address.Global a -> place(a);", """
                                            case Address.Start(var pointer) ->
                                                    place(new Address.Global(pointer, 0));
                                """)),
                        Map.of(), use("Address", "body.store(new Address.Start(R), Value.i32(42));", "&*r")),
                new Recipe("An operation of the tile language: 4 files", "TileNode", Map.of(
                        "tile/TileNode", Map.of("    /** A tile that a loop carries from turn to turn", """
                                    record Doubled(Tile of) implements OfOne {
                                        @Override
                                        public Doubled map(UnaryOperator<Tile> change) {
                                            return new Doubled(change.apply(of));
                                        }
                                    }

                                """),
                        "tile/Tile", Map.of("    // ---- products", """
                                    public Tile doubled() {
                                        return trace.add(type, shape, new TileNode.Doubled(this));
                                    }

                                """),
                        "tile/run/Worker", Map.of("            case TileNode.Reshape(Tile of) ->", """
                                            case TileNode.Doubled(Tile of) -> {
                                                Elements from = value(of);
                                                yield () -> ArrayMath.binary(BinaryOp.ADD, from, from, out,
                                                        out.count());
                                            }
                                """),
                        "tile/lower/TileSteps", Map.of("            case TileNode.Reshape(Tile of) ->", """
                                            case TileNode.Doubled(Tile of) -> {
                                                Held from = get(body, of);
                                                Held out = Registers.held(body, Held.name(tile), tile.type(),
                                                        from.layout(), extents);
                                                Registers.each(body, from.layout().registerCount(), (b, r) ->
                                                        b.assign(out.register().at(r), from.register().at(r)
                                                        .times(2)));
                                                yield out;
                                            }
                                """)),
                        Map.of(), Map.of("program/UseTileNode", """
                                package dev.tilewright.program;

                                import static org.junit.jupiter.api.Assertions.*;

                                import dev.tilewright.gpu.*;
                                import dev.tilewright.junit.*;
                                import dev.tilewright.program.value.ValueType;
                                import dev.tilewright.ptx.Target;
                                import dev.tilewright.tile.*;
                                import java.util.*;

                                public final class UseTileNode {
                                    private static final TileKernel KERNEL = TileKernel.of("use", k -> {
                                        Dim n = k.dim("n");
                                        Tensor x = k.in("x", ValueType.I32, n);
                                        Tensor y = k.out("y", ValueType.I32, n);
                                        k.forEachTile(List.of(k.steps(n, 32)), at ->
                                                y.store(at, x.tile(at).doubled()));
                                    });

                                    public static void check(java.nio.file.Path root) {
                                        int[] x = {21};
                                        int[] cpu = new int[1];
                                        int[] gpu = new int[1];
                                        KERNEL.onCpu().set("x", x, 1).set("y", cpu, 1).run();
                                        try (Gpu one = Gpu.emulated(); ArrayKernel kernel = one.load(KERNEL)) {
                                            kernel.launch().set("x", x, 1).set("y", gpu, 1).run();
                                        }
                                        var report = HazardFree.assertHazardFree(KERNEL, Target.SM_90A,
                                                Map.of("x", HostArray.of(x), "y", HostArray.of(gpu)), Map.of());
                                        assertEquals(42, cpu[0]);
                                        assertEquals(42, gpu[0]);
                                        assertTrue(KERNEL.toString().contains("doubled %"));
                                        assertEquals(List.of(), report.findings());
                                    }
                                }
                                """)));
    }

    /** A kernel that leaves 42 at the start of {@code r} by a new member, and what is to be in its source. */
    private static Map<String, String> use(String family, String steps, String text) {
        return Map.of("program/Use" + family, """
                package dev.tilewright.program;

                import static org.junit.jupiter.api.Assertions.*;

                import dev.tilewright.program.expression.*;
                import dev.tilewright.program.value.ValueType;
                import dev.tilewright.ptx.*;
                import dev.tilewright.ptx.memory.Red;
                import java.util.*;

                public final class UseFAMILY {
                    private static final Parameter.Pointer R = Parameter.Pointer.writing("r", ValueType.I32);

                    public static void check(java.nio.file.Path root) {
                        TileProgram program = new TileProgram("use", "a new member", 1, List.of(R),
                                new SharedLayout(List.of()), Body.steps(body -> {
                STEPS
                        }));
                        String source = dev.tilewright.emit.CudaEmitter.emit(program).text();
                        Launch launch = Launch.of(program, 1, Map.of(R, new Argument.Buffer(0)));
                        try (var arena = java.lang.foreign.Arena.ofConfined()) {
                            var memory = arena.allocate(256, 256);
                            var report = dev.tilewright.hazard.check.HazardCheck.check(launch, List.of(memory));
                            dev.tilewright.reference.Reference.run(launch, List.of(memory.fill((byte) 0)));
                            assertEquals(42, memory.get(java.lang.foreign.ValueLayout.JAVA_INT, 0));
                            assertEquals(List.of(), report.findings());
                            assertTrue(source.contains("TEXT"), source);
                        }
                    }
                }
                """.replace("FAMILY", family).replace("STEPS", steps.indent(12)).replace("TEXT", text));
    }
}
