package dev.tilewright.verify.draw;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.builder.Presets;
import dev.tilewright.tile.kernel.TilePreset;
import dev.tilewright.tile.kernel.TilePresets;
import dev.tilewright.verify.CaseKind;
import dev.tilewright.verify.CaseKinds;
import dev.tilewright.verify.CompanyKind;
import dev.tilewright.verify.CopyKind;
import dev.tilewright.verify.PlantedKind;
import dev.tilewright.verify.TileKind;
import java.util.ArrayList;
import java.util.List;

/** All kinds of cases that there are. */
public final class Kinds {
    /** The kinds of kernels that generators draw. */
    static final List<DrawnKind> DRAWN = List.of(
            // Rings of stages, filled by the copy engine, cp.async or stores.
            new DrawnKind(new Generator("pipeline", PipelineGenerator::make), 1),
            // Random expressions of all types, functions, loops, conditions, shared memory.
            new DrawnKind(new Generator("values", ValuePrograms::draw), 1),
            // Shuffles, votes, matches, reductions and scans by lanes of any mask.
            new DrawnKind(new Generator("warps", WarpPrograms::draw), 1),
            // Block reductions and scans, and copies by threads together.
            new DrawnKind(new Generator("collective", CollectiveGenerator::make), 1),
            // Threads of a warp with roles of their own: guards, loops, early ends, rings of mbarriers, meetings.
            new DrawnKind(new Generator("roles", choices -> new RolePrograms(choices, false).drawn()), 1),
            // Blocks that wait for each other in loops, and copy, reduce and store to the same memory by turns.
            new DrawnKind(new Generator("batons", choices -> new BatonPrograms(choices, false).drawn()), 1),
            // Every form of every instruction with what it reads, writes and hands out shown.
            new DrawnKind(new Generator("instructions", FormProgram::make, FormProgram::first), 2),
            // mma.sync and wgmma of every type and shape, swizzled, transposed and negated.
            new DrawnKind(new Generator("product", ProductGenerator::make, ProductGenerator::first), 2));

    private Kinds() { }

    /** With all tile kernels. @param catalog what lines may name @param presets from which copies are drawn */
    public static CaseKinds of(PresetCatalog catalog, List<Preset> presets) {
        return of(catalog, presets, TilePresets.ALL);
    }

    /**
     * All kinds.
     *
     * @param catalog what lines may name
     * @param presets from which copies are drawn
     * @param tiles from which launches of tile kernels are drawn
     */
    public static CaseKinds of(PresetCatalog catalog, List<Preset> presets, List<TilePreset> tiles) {
        return of(new CopyKind(catalog, presets), tiles);
    }

    /** All kinds, to read lines of the library's cases: presets are made when a line names one, and none is drawn. */
    public static CaseKinds toRead() {
        return of(new CopyKind(() -> Presets.CATALOG, List.of()), List.of());
    }

    private static CaseKinds of(CopyKind copies, List<TilePreset> tiles) {
        List<CaseKind> kinds = new ArrayList<>(List.of(copies, new TileKind(tiles), new CompanyKind(tiles)));
        kinds.addAll(DRAWN);
        kinds.add(new PlantedKind());
        return new CaseKinds(kinds);
    }
}
