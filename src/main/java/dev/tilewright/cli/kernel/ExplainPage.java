package dev.tilewright.cli.kernel;

import dev.tilewright.BadRequestException;
import dev.tilewright.explain.Explanation;
import dev.tilewright.explain.picture.LayoutPicture;
import dev.tilewright.explain.picture.PicturePage;
import dev.tilewright.explain.picture.Svg;
import dev.tilewright.explain.picture.SwizzlePicture;
import dev.tilewright.explain.timeline.Timeline;
import dev.tilewright.program.Argument;
import dev.tilewright.program.TileProgram;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.TiledTensorMap;
import dev.tilewright.tile.Decision;
import dev.tilewright.tile.LoweredKernel;
import dev.tilewright.verify.KernelCheck;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A kernel explained on a page: what it takes, its passes, the order of one tile, layouts, its steps, its source. */
final class ExplainPage {
    private static final int MOST_LAYOUTS = 6;

    private ExplainPage() { }

    static PicturePage of(Explanation explanation, Optional<LoweredKernel> tile, TileProgram program,
            KernelCheck check) {
        List<PicturePage.Part> parts = new ArrayList<>();
        parts.add(new PicturePage.Words(List.of(explanation.purpose())));
        tile.ifPresent(kernel -> parts.add(new PicturePage.Facts("What each pass chose", kernel.lines())));
        PicturePage.Part facts = new PicturePage.Facts("What it takes, and what each wait guarantees",
                explanation.lines());
        Timeline order = check.first(Timeline::of);
        parts.add(order.rows().isEmpty() ? facts
                : new PicturePage.Beside(new PicturePage.Drawing("The order of one tile", order.graph()), facts));
        Set<String> places = new HashSet<>();
        tile.ifPresent(kernel -> layouts(kernel).stream().filter(layout -> layout.elements() > 1
                && places.add(layout.places())).limit(MOST_LAYOUTS).forEach(layout ->
                parts.add(new PicturePage.Drawing("Where elements are: " + layout.tile(), layout.drawing()))));
        banks(check).forEach(parts::add);
        parts.add(Explanation.source(program));
        return new PicturePage(explanation.kernel(), parts);
    }

    /** The order of one tile, drawn. @throws BadRequestException if the kernel performs no step */
    static Svg order(String title, KernelCheck check) {
        Timeline order = check.first(Timeline::of);
        if (order.rows().isEmpty()) {
            throw new BadRequestException(title + " performed no step in this launch, and --format svg draws the order "
                    + "of a kernel that ran");
        }
        return order.graph();
    }

    /** The layout of a tile, drawn. @throws BadRequestException if the kernel has none of that name */
    static Svg layout(String title, Optional<LoweredKernel> tile, String name) {
        List<LayoutPicture> layouts = tile.map(ExplainPage::layouts).orElse(List.of());
        return layouts.stream().filter(l -> l.tile().equals(name) || l.tile().startsWith(name + ":")).findFirst()
                .orElseThrow(() -> new BadRequestException("--layout must be a tile that threads hold, of " + title
                        + (layouts.isEmpty() ? " none is" : ": " + layouts.stream().map(l -> l.tile().split(":")[0])
                        .toList()) + ", got '" + name + "'")).drawing();
    }

    private static List<LayoutPicture> layouts(LoweredKernel kernel) {
        return kernel.decisions().stream().filter(d -> d.places().isPresent()).map(d -> {
            Decision.Places places = d.places().get();
            return new LayoutPicture(d.subject(), places.bits(), places.registers(), places.threads());
        }).toList();
    }

    /** Where the boxes of the first launch's tensor maps lie in shared memory, each box once. */
    private static List<PicturePage.Part> banks(KernelCheck check) {
        return check.first((launch, _) -> {
            List<PicturePage.Part> parts = new ArrayList<>();
            Set<String> seen = new HashSet<>();
            for (Argument argument : launch.arguments()) {
                if (argument instanceof Argument.Tensor(TiledTensorMap map, int _, long _)
                        && map.interleave() == Interleave.NONE) {
                    String title = "A box of " + map.box().reversed() + " " + map.type()
                            + ", swizzle " + map.swizzle();
                    if (seen.add(title)) {
                        parts.add(new PicturePage.Drawing(parts.isEmpty() ? "From element to bank" : "",
                                new SwizzlePicture(map).drawing(title)));
                    }
                }
            }
            return parts;
        });
    }
}
