package dev.tilewright.program.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Body;
import dev.tilewright.program.JavaLines;
import dev.tilewright.program.MapKernels;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.fence.FenceProxyTensormapRelease;
import dev.tilewright.ptx.tensormap.TensormapReplace;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.OobFill;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Steps that change tensor maps: what they are called in PTX, and what is refused when they are made. */
class MapEditTest {
    private static final Expr WIDE = Expr.of(16L);
    private static final Expr NARROW = Expr.of(16);
    private static final Parameter.TensorMap MAP = MapKernels.template(1);
    private static final Parameter.Pointer IN = new Parameter.Pointer("in", false);

    @Test
    void thePlainPtxOfEveryField() {
        List<MapEdit> edits = List.of(new MapEdit.GlobalAddress(WIDE), new MapEdit.Rank(3),
                new MapEdit.BoxDim(4, NARROW), new MapEdit.GlobalDim(0, NARROW), new MapEdit.GlobalStride(3, WIDE),
                new MapEdit.ElementStride(2, NARROW), new MapEdit.ElementType(TensorDataType.BFLOAT16),
                new MapEdit.InterleaveLayout(Interleave.B16), new MapEdit.SwizzleMode(Swizzle.B64),
                new MapEdit.FillMode(OobFill.NAN));
        assertEquals("""
                tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%map%], %value%
                tensormap.replace.tile.rank.shared::cta.b1024.b32 [%map%], %value%
                tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%map%], 4, %value%
                tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%map%], 0, %value%
                tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%map%], 3, %value%
                tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%map%], 2, %value%
                tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%map%], 10
                tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%map%], 1
                tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%map%], 2
                tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%map%], 1""",
                edits.stream().map(e -> e.form().opcode() + " " + e.form().operandText())
                .collect(Collectors.joining("\n")));
        assertEquals(Expr.of(2), edits.get(1).value().orElseThrow());
        assertEquals(edits.size(), edits.stream().map(e -> e.form().functionName()).distinct().count());
        assertEquals(Set.of(Target.SM_90A), edits.stream().map(e -> e.form().minimumTarget())
                .collect(Collectors.toSet()));
    }

    @Test
    void aProgramThatChangesMapsIsForSm90a() {
        assertEquals(Target.SM_90A, MapKernels.bytes(1, MapKernels.edits()).minimumTarget());
        assertEquals(Target.SM_90, program(b -> b.purpose("near").prefetchMap(MAP)).minimumTarget());
        Set<String> forms = program(b -> {
            b.purpose("known").releaseMaps();
            b.purpose("used").acquireMap(MapKernels.PUBLISHED);
        }).instructions().stream().map(PtxInstruction::opcode).collect(Collectors.toSet());
        assertEquals(Set.of("fence.proxy.tensormap::generic.release.gpu", "fence.proxy.tensormap::generic.acquire.gpu"),
                forms);
    }

    @Test
    void valuesHaveTheirTypeAndRange() {
        refused("a device address has 64 bits, got type S32: use toS64()", () -> new MapEdit.GlobalAddress(NARROW));
        refused("an extent of the tensor has 32 bits, got type S64: use toS32()", () -> new MapEdit.GlobalDim(0, WIDE));
        refused("an extent of the box has 32 bits, got type S64: use toS32()", () -> new MapEdit.BoxDim(0, WIDE));
        refused("an element stride has 32 bits, got type S64: use toS32()", () -> new MapEdit.ElementStride(0, WIDE));
        refused("a stride has 64 bits, got type S32: use toS64()", () -> new MapEdit.GlobalStride(0, NARROW));
        refused("a tensor map numbers its dimensions 0 to 4, got 5", () -> new MapEdit.GlobalDim(5, NARROW));
        refused("a tensor map numbers its strides 0 to 3, got 4", () -> new MapEdit.GlobalStride(4, WIDE));
        refused("a tensor map has rank 1 to 5, got 0", () -> new MapEdit.Rank(0));
        refused("tensormap.replace.swizzle_mode: the new value must be in [0, 4], got 5 (PTX ISA, "
                + "\"tensormap.replace\")", () -> new TensormapReplace(TensormapReplace.Field.SWIZZLE_MODE, 5));
        refused("a tensor map in 'workspace' must have rank 1 to 5, got 6",
                () -> new MapSource.InMemory(MapKernels.PUBLISHED, 6));
        refused("an offset into a tensor map has 32 bits, got type S64: use toS32()",
                () -> new Address.MapBytes(MAP, WIDE));
    }

    @Test
    void parametersAreNotWritten() {
        Fragment data = new Fragment("data", ElementType.U32, 4);
        refused("tensor map 'template_map' is a kernel parameter, which cannot be written: copy it to shared memory",
                () -> new Operation.Store(new Address.MapBytes(MAP, 0), data));
        refused("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned: "
                        + "pointer 'in' is declared read-only",
                () -> Body.steps(b -> b.publishMap(new Address.Global(IN, 0), MapKernels.MAP_START)));
    }

    @Test
    void namesAreDeclared() {
        Address.Global elsewhere = new Address.Global(IN, 0);
        Parameter.TensorMap other = new Parameter.TensorMap("other_map", 1);
        Expr ghost = new Expr.Var("ghost", IntType.S32);
        refused("'in' is not a parameter of this kernel (step: wrong)", () -> program(b -> b.purpose("wrong")
                .acquireMap(elsewhere)));
        refused("'in' is not a parameter of this kernel (step: wrong)",
                () -> program(b -> b.purpose("wrong").prefetchMap(new MapSource.InMemory(elsewhere, 1))));
        refused("'in' is not a parameter of this kernel (step: wrong)",
                () -> program(b -> b.purpose("wrong").let("address", IN.deviceAddress())));
        refused("'other_map' is not a parameter of this kernel (step: wrong)", () -> program(b -> b.purpose("wrong")
                .prefetchMap(other)));
        refused("'other_map' is not a parameter of this kernel (step: wrong)",
                () -> program(b -> b.purpose("wrong")
                        .load("data", ElementType.U8, 1, new Address.MapBytes(other, 0))));
        refused("'ghost' is used where it is not defined (step: wrong)",
                () -> program(b -> b.purpose("wrong")
                        .replaceMapField(MapKernels.MAP_START, new MapEdit.GlobalDim(0, ghost))));
        refused("'ghost' is used where it is not defined (step: wrong)",
                () -> program(b -> b.purpose("wrong").publishMap(MapKernels.PUBLISHED, MapKernels.MAP.at(ghost))));
    }

    @Test
    void aReleaseNamesNoMap() {
        assertEquals(
                List.of(new Step(Optional.empty(), new Operation.Issue(new FenceProxyTensormapRelease()),
                Optional.empty())), program(Body::releaseMaps).body());
    }

    private static TileProgram program(Consumer<Body> code) {
        return new TileProgram("maps", "for a test", 32, List.of(MAP, MapKernels.WORKSPACE),
                new SharedLayout(List.of(MapKernels.MAP)), Body.steps(code));
    }

    private static void refused(String message, Executable code) {
        assertEquals(message, JavaLines.without(assertThrows(IllegalArgumentException.class, code).getMessage()));
    }
}
