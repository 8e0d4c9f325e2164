package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.MapKernels;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.MapEdit;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.L2Promotion;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TiledTensorMap;
import dev.tilewright.verify.CaseDevice;
import dev.tilewright.verify.CopyCase;
import dev.tilewright.verify.CopyCheck;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Tensor maps that a kernel changes: every field leaves the reference's bytes, boxes load through changed maps as the
 * reference says, and the preset moves whole arrays through maps that it makes for itself.
 */
@OnEveryStage
record TensorMapReplaceGpuTest(Stage stage) {
    private static final int SOURCE_BYTES = 1 << 16;

    private static final TiledTensorMap MATRIX =
            TiledTensorMap.denseInnermostFirst(TensorDataType.FLOAT32, List.of(64L, 100L), List.of(16, 8),
            Swizzle.NONE);
    private static final TiledTensorMap ROUNDED =
            TiledTensorMap.denseInnermostFirst(TensorDataType.TFLOAT32, List.of(64L, 100L), List.of(16, 8),
            Swizzle.NONE);
    private static final TiledTensorMap SWIZZLED =
            TiledTensorMap.denseInnermostFirst(TensorDataType.BFLOAT16, List.of(128L, 9L, 7L), List.of(64, 4, 2),
            Swizzle.B128);
    private static final TiledTensorMap FIVE = new TiledTensorMap(TensorDataType.TFLOAT32, List.of(16L, 5L, 4L, 3L, 2L),
            List.of(64L, 1L << 36, 1L << 37, 0x7FFF_FFFF0L), List.of(8, 4, 4, 2, 2), List.of(1, 2, 1, 2, 1),
            Interleave.NONE, Swizzle.NONE, L2Promotion.B128, OobFill.NAN);
    private static final TiledTensorMap LINE =
            TiledTensorMap.denseInnermostFirst(TensorDataType.UINT8, List.of(4096L), List.of(256), Swizzle.NONE);

    /** Every field with values at its ends and between, on maps of several kinds. */
    @TestFactory
    Stream<DynamicTest> everyFieldLeavesTheReferencesBytes() {
        return Stream.of(MATRIX, SWIZZLED, FIVE, LINE).flatMap(map -> turns(edits(), 12).map(edits ->
                DynamicTest.dynamicTest(edits + " on " + map.rank() + "-D " + map.type(), () -> {
                            CaseDevice device = stage.device(Target.SM_90A, 1);
                            assertEquals(bytes(Stage.IN_ORDER, map, edits), bytes(device, map, edits));
                        })));
    }

    /** Where the reference stands in, one in so many. */
    private <T> Stream<T> turns(List<T> all, int oneIn) {
        return IntStream.range(0, all.size()).filter(i -> stage.takes(i, oneIn)).mapToObj(all::get);
    }

    /** Each alone, none, and all one after the other. */
    private static List<List<MapEdit>> edits() {
        List<List<MapEdit>> each = new ArrayList<>(MapKernels.edits().stream().map(List::of).toList());
        each.add(List.of());
        each.add(MapKernels.edits());
        return each;
    }

    /** The map's bytes as hexadecimal digits, those of the address as x where they are the launch's own. */
    private static String bytes(CaseDevice device, TiledTensorMap map, List<MapEdit> edits) {
        TileProgram program = MapKernels.bytes(map.rank(), edits);
        byte[] result = run(device, program, List.of(new Argument.Tensor(map, 0), new Argument.Buffer(2)),
                MapKernels.MAP_BYTES);
        String hex = HexFormat.of().formatHex(result);
        boolean ownAddress = edits.stream().noneMatch(MapEdit.GlobalAddress.class::isInstance);
        return ownAddress ? "x".repeat(16) + hex.substring(16) : hex;
    }

    /** @param map the changed map as a description */
    private record Use(TiledTensorMap template, List<MapEdit> edits, TiledTensorMap map) {
    }

    /**
     * Boxes loaded through changed maps: that a field has other bytes is one thing, that the copy engine heeds them
     * another. Left out: a TF32 map with a type that is no 32-bit float. It is an illegal instruction, which loses the
     * context for all tests after it.
     */
    @TestFactory
    Stream<DynamicTest> boxesLoadThroughChangedMaps() {
        return turns(uses(), 6)
                .map(use -> DynamicTest.dynamicTest(use.edits + " on " + use.template.type(), () -> {
                    CaseDevice device = stage.device(Target.SM_90A, 1);
                    assertEquals(box(Stage.IN_ORDER, use), box(device, use));
                }));
    }

    private static List<Use> uses() {
        TiledTensorMap m = MATRIX;
        List<Integer> ones = List.of(1, 1);
        return List.of(
                new Use(m, List.of(), m),
                new Use(m, List.of(new MapEdit.GlobalDim(1, 3)),
                like(m, List.of(64L, 3L), 256, m.box(), ones)),
                new Use(m, List.of(new MapEdit.GlobalDim(0, 5)),
                like(m, List.of(5L, 100L), 256, m.box(), ones)),
                new Use(m, List.of(new MapEdit.GlobalDim(0, 5), new MapEdit.FillMode(OobFill.NAN)),
                        like(m, List.of(5L, 100L), 256, m.box(), ones)),
                new Use(m, List.of(new MapEdit.GlobalStride(0, 512)), like(m, m.dims(), 512, m.box(), ones)),
                new Use(m, List.of(new MapEdit.BoxDim(1, 4)), like(m, m.dims(), 256, List.of(16, 4), ones)),
                new Use(m, List.of(new MapEdit.BoxDim(0, 32)), like(m, m.dims(), 256, List.of(32, 8), ones)),
                new Use(m, List.of(new MapEdit.BoxDim(0, 8), new MapEdit.BoxDim(1, 20)),
                        like(m, m.dims(), 256, List.of(8, 20), ones)),
                new Use(m, List.of(new MapEdit.ElementStride(1, 3)),
                like(m, m.dims(), 256, m.box(), List.of(1, 3))),
                new Use(m, List.of(new MapEdit.ElementType(TensorDataType.TFLOAT32)), m),
                new Use(m, List.of(new MapEdit.ElementType(TensorDataType.INT32)), m),
                new Use(ROUNDED, List.of(new MapEdit.ElementType(TensorDataType.FLOAT32)), m),
                new Use(ROUNDED, List.of(new MapEdit.ElementType(TensorDataType.FLOAT32_FTZ)), m),
                new Use(m, List.of(new MapEdit.SwizzleMode(Swizzle.B64)), swizzled(m, Swizzle.B64)),
                new Use(m, List.of(new MapEdit.SwizzleMode(Swizzle.B128)), swizzled(m, Swizzle.B128)),
                new Use(SWIZZLED, List.of(new MapEdit.SwizzleMode(Swizzle.NONE)), swizzled(SWIZZLED, Swizzle.NONE)),
                new Use(m, List.of(new MapEdit.Rank(1)), TiledTensorMap.denseInnermostFirst(m.type(), List.of(64L),
                List.of(16), Swizzle.NONE)),
                new Use(LINE, List.of(new MapEdit.Rank(2), new MapEdit.GlobalStride(0, 256),
                new MapEdit.GlobalDim(1, 16),
                        new MapEdit.BoxDim(0, 64), new MapEdit.BoxDim(1, 16)),
                        TiledTensorMap.denseInnermostFirst(TensorDataType.UINT8, List.of(4096L, 16L), List.of(64, 16),
                        Swizzle.NONE)));
    }

    private static TiledTensorMap like(TiledTensorMap m, List<Long> dims, long stride, List<Integer> box,
            List<Integer> steps) {
        return new TiledTensorMap(m.type(), dims, List.of(stride), box, steps, m.interleave(), m.swizzle(),
                m.l2Promotion(), m.fill());
    }

    private static TiledTensorMap swizzled(TiledTensorMap m, Swizzle swizzle) {
        return new TiledTensorMap(m.type(), m.dims(), m.strides(), m.box(), m.elementStrides(), m.interleave(), swizzle,
                m.l2Promotion(), m.fill());
    }

    private static String box(CaseDevice device, Use use) {
        int shown = Math.ceilDiv(use.map.sharedBytes(), 16) * 16;
        TileProgram program = MapKernels.load(use.template.rank(), use.edits, use.map.rank(),
                use.map.transactionBytes(), shown);
        return HexFormat.of().formatHex(run(device, program,
                List.of(new Argument.Tensor(use.template, 0), new Argument.Buffer(1), new Argument.Buffer(2)), shown));
    }

    /** Buffer 0 is 64 KiB of random bits, buffer 1 a workspace for a map, buffer 2 the result. */
    private static byte[] run(CaseDevice device, TileProgram program, List<Argument> arguments, int resultBytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = arena.allocate(SOURCE_BYTES, 256);
            SplittableRandom random = new SplittableRandom(6);
            for (long i = 0; i < SOURCE_BYTES; i += 8) {
                data.set(ValueLayout.JAVA_LONG, i, random.nextLong());
            }
            MemorySegment result = arena.allocate(resultBytes, 256).fill((byte) 0xCD);
            device.run(new Launch(program, 1, arguments),
                    List.of(data, arena.allocate(MapKernels.MAP_BYTES, 256), result));
            return result.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /**
     * The preset over types, steps and ragged shapes, blocks that take one band of tiles and blocks that take several:
     * the reference runs one of each shape's grids.
     */
    @TestFactory
    Stream<DynamicTest> thePresetMovesEveryArray() {
        Preset preset = Presets.named("tensor-rebind");
        List<Schedule> choices = List.of(Schedule.DEFAULT, Schedule.parse("step=scale"),
                Schedule.parse("step=add wait=token stages=2 tile=7x48B"),
                Schedule.parse("tile=13x16B stages=1"),
                Schedule.parse("tile=5x80B stages=8 threads=96"));
        return turns(Stream.of(ElementType.U8, ElementType.F16, ElementType.BF16, ElementType.F32, ElementType.F64,
                ElementType.I32, ElementType.I64).flatMap(type -> choices.stream()
                .map(choice -> DynamicTest.dynamicTest(
                        type + " " + choice, () -> {
                            long chunk = 16 / type.bytes();
                            for (List<Long> shape : List.of(List.of(1L, chunk), List.of(64L, 8 * chunk),
                                    List.of(777L, 11 * chunk), List.of(3L, 100L, 3 * chunk),
                                    List.of(stage == Stage.GPU ? 2000L : 500L, 37 * chunk))) {
                                assertMoves(preset, choice, type, shape);
                            }
                        }))).toList(), 6);
    }

    private void assertMoves(Preset preset, Schedule choice, ElementType type, List<Long> shape) {
        int turn = Objects.hash(choice, type.name(), shape);
        long scalar = Scalars.parse(type, type.isFloat() ? "-1.7" : "3");
        List<CopyCase> grids = IntStream.of(stage.tilesPerBlock(turn)).mapToObj(bands ->
                new CopyCase(preset, choice, type, shape, bands, scalar, shape.hashCode())).toList();
        assertEquals(Optional.empty(), CopyCheck.run(stage.device(preset.minimumTarget()), grids,
                OptionalInt.of(Math.floorMod(turn, grids.size()))));
    }
}
