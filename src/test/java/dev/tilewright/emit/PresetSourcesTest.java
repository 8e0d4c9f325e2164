package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryTries;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Procedure;
import dev.tilewright.program.Step;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.verify.CopyCases;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds for the source of every preset, and of every kernel that its options can make. */
class PresetSourcesTest {

    private static final Map<String, String> SOURCES = Presets.ALL.stream().flatMap(preset -> Stream.of(
            ElementType.values()).map(type -> Map.entry(preset.name() + " of " + type,
                    CudaEmitter.emit(preset.build(type).program()).text())))
            .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));

    static Stream<Preset> presets() {
        return Presets.ALL.stream();
    }

    /** Includes, and words of mechanisms that need another target, a cluster launch or a header. */
    @ParameterizedTest
    @ValueSource(strings = {"#include", "warpgroup", "wgmma", "setmaxnreg", "tcgen05", "multicast", "cluster_cta",
            "__cluster_dims__",
        "__half", "__nv_", "std::", "printf", "assert", "using ", "\t", "\r"})
    void noPresetHas(String word) {
        SOURCES.forEach((preset, text) -> assertFalse(text.contains(word), () -> preset + " has " + word));
    }

    @Test
    void theWordsAreOnesThatWouldBeFound() {
        String text = CudaEmitter.emit(Presets.named("tensor-scale").build(ElementType.F16).program()).text();
        assertTrue(text.contains("shared::cluster") && text.contains("#pragma") && text.contains("asm("));
    }

    @Property(tries = 50)
    @OrdinaryTries(15)
    void anyKernelIsEmittedTheSameTwiceAndInGoodOrder(@ForAll long seed) {
        var drawn = new CopyCases(Presets.ALL, seed).next();
        TileProgram program = drawn.kernel().program();
        String text = CudaEmitter.emit(program).text();
        assertEquals(text, CudaEmitter.emit(drawn.kernel().program()).text());
        requireStepsUnderTheirPurposes(program, text);
        requireWrappers(program, text);
        requireLayout(text);
    }

    /**
     * Every comment that a step has stands in the functions and the kernel, once, in the order of the steps, and no
     * other.
     */
    private static void requireStepsUnderTheirPurposes(TileProgram program, String text) {
        List<String> wanted = new ArrayList<>();
        for (Procedure procedure : program.procedures()) {
            wanted.add(procedure.purpose());
            collect(procedure.body(), wanted);
        }
        collect(program.body(), wanted);
        // A kernel without instructions of its own has no namespace; its last struct is what comes before then.
        String functions = text.substring(
                Math.max(text.lastIndexOf("\n}  // namespace"), text.lastIndexOf("\nstruct alignas")) + 1);
        assertEquals(String.join(" ", wanted), functions.lines().skip(1).map(String::strip)
                .filter(line -> line.startsWith("// ")).map(line -> line.substring(3))
                .collect(Collectors.joining(" ")));
    }

    private static void collect(List<Step> steps, List<String> comments) {
        for (Step step : steps) {
            step.comment().ifPresent(comments::add);
            if (!(step.operation() instanceof Operation.Call)) {
                step.operation().bodies().forEach(body -> collect(body, comments));
            }
        }
    }

    /** Each form has one wrapper with its plain PTX above it, and is called; no wrapper stands there for nothing. */
    private static void requireWrappers(TileProgram program, String text) {
        for (PtxInstruction form : program.instructions()) {
            List<String> wrapper = InstructionFunctions.define(form);
            String ptx = wrapper.getFirst();
            assertTrue(ptx.startsWith("// " + form.opcode()) && ptx.endsWith(";") && !ptx.contains("%"), ptx);
            assertEquals("// " + form.summary() + " (PTX ISA " + form.since() + ", " + form.minimumTarget() + ")",
                    wrapper.get(1));
            assertTrue(wrapper.get(2).matches("__device__ __forceinline__ \\S.* " + form.functionName()
                    + "\\(.*\\) \\{"), wrapper.get(2));
            String broken = wrapper.stream().flatMap(line -> LineBreaks.of(line, "").stream())
                    .collect(Collectors.joining("\n", "\n\n", "\n\n"));
            assertEquals(2, text.split(Pattern.quote(broken), -1).length, form.functionName());
            assertTrue(text.substring(text.indexOf(broken)).split("\\b" + form.functionName() + "\\(").length > 2,
                    form.functionName() + " is not called");
        }
        long wrappers = text.lines().filter(l -> l.startsWith("    asm volatile(")).count();
        assertEquals(program.instructions().size(), wrappers);
    }

    private static void requireLayout(String text) {
        int depth = 0;
        for (String line : text.lines().toList()) {
            assertEquals(line.stripTrailing(), line, "no blanks at the end");
            String code = line.strip();
            depth -= code.startsWith("}") ? 1 : 0;
            if (!code.isEmpty() && !line.startsWith("        ") && depth == 0) {
                assertEquals(code, line, "top level begins at the margin");
            }
            depth += code.endsWith("{") ? 1 : 0;
        }
        assertEquals(0, depth);
        assertTrue(text.endsWith("}\n") && !text.contains("\n\n\n"));
    }

    @ParameterizedTest
    @MethodSource("presets")
    void onlyWaitsDifferWhenBounded(Preset preset) {
        for (String wait : preset.mechanism().hasOption("wait") ? List.of("parity", "token") : List.of("")) {
            TileProgram program = preset.build(ElementType.F32, 2, wait.isEmpty() ? Schedule.DEFAULT
                    : Schedule.DEFAULT.with("wait", wait))
                    .program();
            String endless = CudaEmitter.emit(program).text();
            String bounded = CudaEmitter.emit(program, EmitOptions.BOUNDED).text();
            assertFalse(endless.contains("__trap"));
            assertEquals(wait.isEmpty() ? 0 : 1, bounded.split("if \\(polls == 4000000u\\) __trap\\(\\);", -1)
                    .length - 1);
            assertEquals(wait.isEmpty(), endless.equals(bounded));
            assertEquals(wait.isEmpty() ? 0 : 1, endless.split("while \\(!mbarrier_try_wait", -1).length - 1);
        }
    }

    @Test
    void thePlainPtxOfEveryFormThatPresetsUse() {
        Map<String, String> ptx = new TreeMap<>();
        for (Preset preset : Presets.ALL) {
            for (PtxInstruction form : preset.build(ElementType.F32).program().instructions()) {
                ptx.put(form.functionName(), InstructionFunctions.define(form).getFirst());
            }
        }
        String coordinates = "{c0, c1, c2, c3, c4}";
        Map<String, String> expected = new TreeMap<>(Map.ofEntries(
                Map.entry("bulk_commit_group", "// cp.async.bulk.commit_group;"),
                Map.entry("bulk_load", "// cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [dst], "
                + "[src], bytes, [mbar];"),
                Map.entry("bulk_store", "// cp.async.bulk.global.shared::cta.bulk_group [dst], [src], bytes;"),
                Map.entry("bulk_wait_group_read_0", "// cp.async.bulk.wait_group.read 0;"),
                Map.entry("bulk_wait_group_read_1", "// cp.async.bulk.wait_group.read 1;"),
                Map.entry("cp_async_16", "// cp.async.cg.shared.global [dst], [src], 16;"),
                Map.entry("cp_async_16_zero_fill", "// cp.async.cg.shared.global [dst], [src], 16, src_bytes;"),
                Map.entry("cp_async_commit_group", "// cp.async.commit_group;"),
                Map.entry("cp_async_wait_group_1", "// cp.async.wait_group 1;"),
                Map.entry("cp_async_wait_group_0", "// cp.async.wait_group 0;"),
                Map.entry("fence_mbarrier_init", "// fence.mbarrier_init.release.cluster;"),
                Map.entry("fence_proxy_async_shared", "// fence.proxy.async.shared::cta;"),
                Map.entry("mbarrier_arrive", "// mbarrier.arrive.shared::cta.b64 token, [mbar];"),
                Map.entry("mbarrier_arrive_expect_tx", "// mbarrier.arrive.expect_tx.shared::cta.b64 token, [mbar], "
                + "bytes;"), Map.entry("mbarrier_init", "// mbarrier.init.shared::cta.b64 [mbar], arrivals;"),
                Map.entry("mbarrier_try_wait", "// mbarrier.try_wait.shared::cta.b64 done, [mbar], token;"),
                Map.entry("mbarrier_try_wait_parity", "// mbarrier.try_wait.parity.shared::cta.b64 done, [mbar], "
                + "parity;"),
                Map.entry("fence_proxy_tensormap_acquire", "// fence.proxy.tensormap::generic.acquire.gpu [map], 128;"),
                Map.entry("tensormap_cp_fenceproxy",
                        "// tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
                        + "[dst], [src], 128;"),
                Map.entry("tensormap_replace_global_address",
                        "// tensormap.replace.tile.global_address.shared::cta.b1024.b64 [map], value;"),
                Map.entry("tensormap_replace_global_dim_1",
                        "// tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [map], 1, value;")));
        for (int rank = 1; rank <= 5; rank++) {
            String box = "[map, " + (rank == 5 ? coordinates : coordinates.substring(0, 4 * rank - 1) + "}") + "]";
            expected.put("tensor_load_" + rank + "d", "// cp.async.bulk.tensor." + rank
                    + "d.shared::cluster.global.mbarrier::complete_tx::bytes [dst], " + box + ", [mbar];");
            expected.put("tensor_store_" + rank + "d", "// cp.async.bulk.tensor." + rank
                    + "d.global.shared::cta.bulk_group " + box + ", [src];");
        }
        assertEquals(expected, ptx);
    }
}
