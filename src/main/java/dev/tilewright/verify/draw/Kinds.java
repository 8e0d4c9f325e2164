package dev.tilewright.verify.draw;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.verify.CaseKind;
import dev.tilewright.verify.CaseKinds;
import dev.tilewright.verify.CopyKind;
import dev.tilewright.verify.PlantedKind;
import java.util.List;

/** All kinds of cases that there are. */
public final class Kinds {

    private Kinds() {
    }

    /** @param catalog what lines may name @param presets those that copies are drawn of, at least one */
    public static CaseKinds of(PresetCatalog catalog, List<Preset> presets) {
        List<CaseKind> kinds = List.of(new CopyKind(catalog, presets), new PlantedKind());
        return new CaseKinds(kinds);
    }
}
