package dev.tilewright.verify;

import dev.tilewright.tile.kernel.TilePreset;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Batch invariance of presets that are tile kernels: launches of places in other company, see {@link CompanyCase}. */
public final class CompanyKind implements CaseKind {
    static final String NAME = "company";
    private static final int MOST_PLACES = 1 << 20;
    private static final int MORE = 40;

    private final List<TilePreset> presets;
    private TileKind drawn;

    /** @param presets what cases are drawn of, where they have a batch; where none has, no case is drawn */
    public CompanyKind(List<TilePreset> presets) {
        this.presets = List.copyOf(presets);
    }

    /** A kind whose kernels have a batch; finding them takes a while. */
    private synchronized TileKind drawn() {
        if (drawn == null) {
            drawn = new TileKind(presets.stream().filter(p -> p.kernel().batch().dim().isPresent()).toList());
        }
        return drawn;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int weight() {
        return drawn().weight();
    }

    @Override
    public boolean isOfPresets() {
        return true;
    }

    @Override
    public CompanyCase parse(CaseLine line) {
        CaseFields fields = line.read();
        Company company = fields.choice("company", Company.class);
        int places = fields.number("places", 1, MOST_PLACES);
        TileCase all = TileKind.read(fields);
        return TileKind.made(line, () -> new CompanyCase(all, company, places));
    }

    @Override
    public List<CompanyCase> draw(SplittableRandom random, int count) {
        CompanyCase first = TileKind.possible("other company", () -> draw(random));
        return IntStream.range(0, count).mapToObj(_ -> first.with(random.nextInt())).toList();
    }

    private CompanyCase draw(SplittableRandom random) {
        TileCase all = drawn().draw(random, 1).getFirst();
        String dim = all.preset().kernel(all.type()).batch().dim().orElseThrow().name();
        int there = Math.toIntExact(all.extents().get(dim));
        Company company = Company.values()[random.nextInt(Company.values().length)];
        return new CompanyCase(all, company, switch (company) {
            case ALONE -> random.nextBoolean() ? 1 : 1 + random.nextInt(there);
            case OTHER_ORDER -> there;
            case AMONG_OTHERS -> 1 + random.nextInt(there + MORE);
        });
    }
}
