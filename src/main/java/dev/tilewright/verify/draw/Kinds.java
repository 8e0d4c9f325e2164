package dev.tilewright.verify.draw;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.verify.CaseKind;
import dev.tilewright.verify.CaseKinds;
import dev.tilewright.verify.CopyKind;
import dev.tilewright.verify.PlantedKind;
import java.util.ArrayList;
import java.util.List;

/** All kinds of cases that there are. */
public final class Kinds {
    /** Those of generators. */
    static final List<DrawnKind> DRAWN = List.of(new DrawnKind(new PipelineGenerator(), 1),
            new DrawnKind(new ValueGenerator(), 1), new DrawnKind(new WarpGenerator(), 1),
            new DrawnKind(new CollectiveGenerator(), 1), new DrawnKind(new RoleGenerator(), 1),
            new DrawnKind(new BatonGenerator(), 1),
            new DrawnKind(new InstructionGenerator(), 2),
            new DrawnKind(new ProductGenerator(), 2));

    private Kinds() {
    }

    /** @param catalog what lines may name @param presets those that copies are drawn of, at least one */
    public static CaseKinds of(PresetCatalog catalog, List<Preset> presets) {
        List<CaseKind> kinds = new ArrayList<>(List.of(new CopyKind(catalog, presets)));
        kinds.addAll(DRAWN);
        kinds.add(new PlantedKind());
        return new CaseKinds(kinds);
    }
}
