package dev.tilewright;

import java.util.Map;
import java.util.stream.Stream;

/** New members that users call by their names: presets, hazard codes, commands. */
final class NamedRecipes {
    private NamedRecipes() {
    }

    static Stream<Recipe> all() {
        return Stream.of(
                new Recipe("A builder: 2 files", "Mechanism", Map.of(
                        "builder/Presets", Map.of("            new Preset(\"cp-async-pipeline\",", """
                                            new Preset("plain-copy", PlainCopy.MECHANISM,
                                                    "copies an array element by element", Schedule.DEFAULT),
                                """)),
                        Map.of("builder/PlainCopy", """
                                package dev.tilewright.builder;

                                import dev.tilewright.layout.ElementType;
                                import dev.tilewright.program.*;
                                import dev.tilewright.program.expression.*;
                                import dev.tilewright.program.expression.Expr.Builtin;
                                import dev.tilewright.ptx.Target;
                                import java.util.*;

                                public final class PlainCopy extends BuiltKernel {
                                    public static final Mechanism<Builder> MECHANISM = new Mechanism<Builder>(
                                            "plain-copy", "ld.global", Target.SM_80, Builder::new,
                                            List.of(Builder.TILE, Builder.THREADS, Builder.STEP));

                                    private final Parameter.Int bytes;
                                    private final TilePartition partition;
                                    private final int tileBytes;

                                    private PlainCopy(Builder b) {
                                        bytes = new Parameter.Int("bytes", IntType.S64);
                                        partition = new TilePartition(b.walk);
                                        tileBytes = b.tileBytes();
                                        super(b);
                                    }

                                    public static final class Builder extends KernelBuilder<Builder> {
                                        public static final Option<KernelBuilder<?>, List<Integer>> TILE =
                                                tileOption(new Extents(1, 1, 1, 600)).sweeping("4096B");

                                        private Builder(ElementType type) {
                                            super(MECHANISM, type, 1);
                                        }

                                        @Override
                                        public PlainCopy build() {
                                            require(TILE, THREADS);
                                            return new PlainCopy(this);
                                        }
                                    }

                                    @Override
                                    TileProgram describe() {
                                        return new TileProgram(kernelName, "element by element, " + stepText(), threads,
                                                parameters(partition, bytes), new SharedLayout(List.of()),
                                                Body.steps(this::tiles));
                                    }

                                    private void tiles(Body body) {
                                        var mine = partition.define(body);
                                        body.purpose("one tile a turn").loop("turn", mine.count(), (loop, turn) ->
                                                loop.purpose("this thread's elements").loop("at",
                                                Builtin.THREAD.times(type.bytes()), Expr.of(tileBytes),
                                                namedThreads.times(type.bytes()), (each, at) -> {
                                                    Expr place = each.purpose("its place in the array").let("place",
                                                            mine.tile(turn).toS64().times(tileBytes).plus(at.toS64()));
                                                    each.purpose("inside the array").when(place.lessThan(bytes.value()),
                                                            inside -> elementwise.move(inside, "element", type.bytes(),
                                                            ElementwiseStep.global(sources, place), new Address.Global(
                                                            result, elementwise.inResult(place))));
                                                }));
                                    }

                                    @Override
                                    int bind(List<Long> shape, long elements, GridPolicy grid,
                                            Map<Parameter, Argument> values) {
                                        long total = elements * type.bytes();
                                        values.put(bytes, new Argument.Int(total));
                                        return partition.bind(Shapes.tiles(List.of(Math.ceilDiv(total, tileBytes))),
                                                grid, values);
                                    }
                                }
                                """),
                        use("UsePreset", """
                                var preset = dev.tilewright.builder.Presets.named("plain-copy");
                                var cases = new dev.tilewright.verify.CopyCases(List.of(preset), 42);
                                for (int i = 0; i < 4; i++) {
                                    var one = cases.next();
                                    assertEquals(Optional.empty(), dev.tilewright.verify.CopyCheck.run(REFERENCE, one),
                                            one::toString);
                                }
                                assertTaken("plain-copy", "plain_copy(");
                                """)),
                new Recipe("A tile kernel with a name: 1 file and the document", "TilePreset", Map.of(
                        "tile/kernel/TilePresets", Map.of("            elements(\"tile-add\",", """
                                            elements("tile-twice", "doubles every element of a matrix", NUMBERS,
                                                    type -> ElementKernels.map("twice", type, 2, x -> x.times(2))),
                                """)), Map.of(),
                        Map.of("kernels-that-ship", Map.of("| `transpose` ",
                                "| `tile-twice` `map(\"twice\", …)` | `x`, `y` | Twice each element. |\n")), Map.of(),
                        use("UseTilePreset", """
                                DocumentedCommandsTest.requireKernelRows(root);
                                var preset = dev.tilewright.tile.kernel.TilePresets.find("tile-twice").orElseThrow();
                                int[] result = new int[3];
                                preset.kernel(dev.tilewright.program.value.ValueType.I32).onCpu()
                                        .set("x", new int[] {0, -7, 21}, 1, 3).set("y", result, 1, 3).run();
                                assertArrayEquals(new int[] {0, -14, 42}, result);
                                var drawn = new dev.tilewright.verify.TileKind(List.of(preset));
                                drawn.draw(new SplittableRandom(42), 2).forEach(one -> assertEquals(Optional.empty(),
                                        dev.tilewright.verify.CaseCheck.run(REFERENCE, one), one::toString));
                                assertTaken("tile-twice", "twice(");
                                """)),
                new Recipe("A hazard code: 2 files and the document", "HazardCode", Map.of(
                        "hazard/HazardCode", Map.of("    FAULT(",
                                "    VALUE_NEVER_STORED(\"a thread waits for a value that no step stores\"),\n"),
                        "hazard/report/StuckFindings", Map.of("        return waitsForValue(waiting)\n                "
                                + ".wants(writers", """
                                        if (writers.isEmpty()) {
                                            return new Draft(HazardCode.VALUE_NEVER_STORED, waits(waiting))
                                                    .says(waits(waiting) + " for a value")
                                                    .wants("no step stores there").fixedBy("store it");
                                        }
                                """)), Map.of(),
                        Map.of("memory-model", Map.of("- `group-not-committed`:",
                                "- `value-never-stored`: no step stores the value that a thread waits for.\n")),
                        Map.of("hazard/SmallMistakes", Map.of("        all.put(HazardCode.FAULT,", """
                                        all.put(HazardCode.VALUE_NEVER_STORED, one((body, wrong) -> {
                                            var flag = new Address.Global(FLAGS, Expr.of(0L));
                                            body.purpose("the first stores").when(T.isEqualTo(0), first -> {
                                                if (!wrong) {
                                                    first.purpose("go").issue(St.release(Scope.GPU, Space.GLOBAL,
                                                            DataType.U32), Input.of(flag), Input.of(1));
                                                }
                                            });
                                            body.purpose("go?").waitUntil("state", ValueType.U32, flag,
                                                    v -> v.isEqualTo(1));
                                        }));
                                """), "hazard/CodeMessagesTest", Map.of("            case FAULT ->", """
                                            case VALUE_NEVER_STORED -> of("value-never-stored: step 2 ('go?', #) of "
                                                    + "thread 0 of block 0 waits for a value; no step stores there; "
                                                    + "store it");
                                """)),
                        Map.of("hazard/UseHazardCode", """
                                package dev.tilewright.hazard;

                                public final class UseHazardCode {
                                    public static void check(java.nio.file.Path root) throws Exception {
                                        HazardCode code = HazardCode.parse("value-never-stored");
                                        HazardCodesTest.requireRule(root, code);
                                        HazardCodesTest held = new HazardCodesTest();
                                        held.theMistakeIsFoundAndNothingElse(code);
                                        held.theCorrectedKernelIsClean(code);
                                        held.codesAreReadBack(code);
                                        new CodeMessagesTest().isSaid(code);
                                    }
                                }
                                """)),
                new Recipe("A command: 2 files and the document", "Verb", Map.of(
                        "cli/TilewrightCommand", Map.of("SwizzleCommand.class,", "TwiceCommand.class, ")),
                        Map.of("cli/TwiceCommand", """
                                package dev.tilewright.cli;

                                import dev.tilewright.cli.option.Verb;
                                import dev.tilewright.cli.terminal.*;
                                import picocli.CommandLine.Command;
                                import picocli.CommandLine.Parameters;

                                @Command(name = "twice", description = "Doubles a number.")
                                final class TwiceCommand extends Verb {
                                    @Parameters(paramLabel = "NUMBER", description = "the number")
                                    int number;

                                    TwiceCommand(Terminal terminal) {
                                        super(terminal);
                                    }

                                    @Override
                                    public Integer call() {
                                        terminal.result("" + 2 * number);
                                        return ExitCode.OK;
                                    }
                                }
                                """),
                        Map.of("command", Map.of("| `… swizzle ", "| `… twice 21` | double a number |\n")), Map.of(),
                        use("UseVerb", """
                                DocumentedCommandsTest.requireRows(root);
                                assertTrue(PipedCommand.run("", "--help").out().contains("  twice "));
                                assertTrue(PipedCommand.run("", "twice", "--help").out().contains("Doubles a number."));
                                assertEquals(new PipedCommand(0, "42\\n", ""), PipedCommand.run("", "twice", "21"));
                                assertTrue(PipedCommand.run("", "twice", "x").refusal().contains("not a whole number"));
                                """)));
    }

    /** A use of what the command takes. */
    private static Map<String, String> use(String name, String steps) {
        return Map.of("cli/" + name, """
                package dev.tilewright.cli;

                import static org.junit.jupiter.api.Assertions.*;

                import dev.tilewright.reference.ReferenceOptions;
                import dev.tilewright.verify.CaseDevice;
                import java.util.*;

                public final class NAME {
                    private static final CaseDevice REFERENCE = CaseDevice.reference(ReferenceOptions.DEFAULT);

                    public static void check(java.nio.file.Path root) throws Exception {
                STEPS
                    }

                    private static void assertTaken(String preset, String function) {
                        assertTrue(PipedCommand.run("", "list").lines().stream().anyMatch(line -> line.startsWith(preset
                                + " ") && line.endsWith(" (schedule not measured yet)")));
                        assertTrue(PipedCommand.run("", "emit", preset).out().contains(function));
                        PipedCommand check = PipedCommand.run("", "check", preset);
                        assertEquals(0, check.code(), check::toString);
                    }
                }
                """.replace("NAME", name).replace("STEPS", steps.indent(8)));
    }
}
