package dev.tilewright.verify;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.layout.ElementType;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/** Copies through the kernels of presets, see {@link CopyCase}. */
public final class CopyKind implements CaseKind {
    static final String NAME = "copy";

    private final Supplier<PresetCatalog> catalog;
    private final List<Preset> drawn;

    /** @param catalog what lines may name @param drawn what cases are drawn of; none if it is empty */
    public CopyKind(PresetCatalog catalog, List<Preset> drawn) {
        this(() -> catalog, drawn);
    }

    /** @param catalog what lines may name; asked for by the first line, as presets take a while to make */
    public CopyKind(Supplier<PresetCatalog> catalog, List<Preset> drawn) {
        this.catalog = catalog;
        this.drawn = List.copyOf(drawn);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public VerifyCase parse(CaseLine line) {
        CaseFields fields = line.read();
        Preset preset = fields.read("preset", name -> catalog.get().named(name));
        CopyCase copy = new CopyCase(preset, fields.schedule(), fields.choice("type", ElementType.class),
                fields.shape("shape"), fields.number("tiles", 1, Integer.MAX_VALUE), fields.number("scalar"),
                fields.number("seed"));
        fields.end();
        copy.launch();
        return copy;
    }

    @Override
    public List<CopyCase> draw(SplittableRandom random, int count) {
        return new CopyDraw(drawn, random).cases(count);
    }

    @Override
    public int weight() {
        return drawn.isEmpty() ? 0 : 1;
    }

    @Override
    public boolean isOfPresets() {
        return true;
    }
}
