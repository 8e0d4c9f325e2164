package dev.tilewright.tile.drawn;

import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.launch.TracedKernel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * A tile kernel drawn at random, and launches of it. Launches have extents, strides and values of their own, and need
 * the same program: what a program is made for, extents of tiles and how rows are aligned, is drawn once.
 */
public final class DrawnKernel {
    private static final List<Function<Draw, Recipe>> RECIPES = List.of(draw -> new MixedRecipe(draw, false),
            draw -> new MixedRecipe(draw, true), RankRecipe::new, LoopRecipe::new, PatchRecipe::new,
            ProductRecipe::new);
    /** How many of twenty kernels a recipe makes. */
    private static final List<Integer> SHARES = List.of(5, 2, 4, 3, 2, 4);

    /** One in so many kernels for the copy engine is a convolution. */
    private static final int CONVOLUTIONS = 8;

    private static final int MOST_TILES = 32;
    private static final int FEW_TILES = 6;

    private final long seed;
    private final Recipe recipe;
    private final TileKernel kernel;
    /** Rows begin at multiples of so many elements, and of no more, but for 16. */
    private final int unit;
    private final Map<String, Long> ofTiles = new HashMap<>();

    private DrawnKernel(long seed, Function<Draw, Recipe> kind) {
        this.seed = seed;
        Draw draw = new Draw(seed);
        recipe = kind.apply(draw);
        try {
            kernel = turned(recipe.kernel(), new Draw(seed ^ 0x7042));
        } catch (RuntimeException e) {
            throw new IllegalStateException("seed " + seed + ", " + kind(), e);
        }
        unit = draw.any(recipe.units());
        List<Dim> extents = kernel.grid().body().tiles().flatMap(tile -> tile.shape().stream()).toList();
        kernel.dims().stream().filter(dim -> extents.stream().anyMatch(extent -> extent.isOf(dim))).map(Dim::name)
                .forEach(name -> ofTiles.put(name, extent(name, Integer.MAX_VALUE, draw)));
    }

    /** The grid's dimensions in any order, of one kernel in three: neighbours have something else in common then. */
    private static TileKernel turned(TileKernel kernel, Draw draw) {
        List<Integer> order = draw.order(kernel.grid().steps().size());
        if (!draw.once(3)) {
            return kernel;
        }
        Grid turned = new Grid(order.stream().map(kernel.grid().steps()::get).toList(), order.stream().map(
                kernel.grid().numbers()::get).toList(), kernel.grid().body(), kernel.grid().line());
        // No recipe names Ampere's.
        Optional<MatrixArithmetic> named = Optional.of(kernel.arithmetic(Target.SM_80)).filter(arithmetic ->
                arithmetic != MatrixArithmetic.AMPERE);
        return TracedKernel.of(kernel.name(), kernel.dims(), kernel.tensors(), kernel.scalars(), turned,
                kernel.variables(), named);
    }

    /** Of every other one the copy engine brings tiles, as a rule; the rest are of any kind. */
    public static DrawnKernel onAnyPath(long seed) {
        Draw draw = new Draw(seed ^ 0xB0CE5);
        return !draw.once(2) ? of(seed) : new DrawnKernel(seed, draw.once(CONVOLUTIONS) ? ConvolutionRecipe::new
                : some -> new ProductRecipe(some, true));
    }

    /** A kernel of any kind. */
    public static DrawnKernel of(long seed) {
        int share = new Draw(seed ^ 0x5EED).below(SHARES.stream().mapToInt(s -> s).sum());
        int kind = 0;
        for (; share >= SHARES.get(kind); kind++) {
            share -= SHARES.get(kind);
        }
        return new DrawnKernel(seed, RECIPES.get(kind));
    }

    /** A kernel whose rows of results depend on the rows with the same number alone, and on what has no rows. */
    public static DrawnKernel apart(long seed) {
        return new DrawnKernel(seed, new Draw(seed ^ 0x5EED).once(3) ? ProductRecipe::new
                : draw -> new MixedRecipe(draw, true));
    }

    /** A kernel of whole rows that are too wide for what a thread block holds of ordinary ones. */
    public static DrawnKernel wide(long seed) {
        return new DrawnKernel(seed, WideRecipe::new);
    }

    /** A function of a matrix' elements and those around them. */
    public static DrawnKernel stencil(long seed) {
        return new DrawnKernel(seed, StencilRecipe::new);
    }

    /** Several stores into one tensor, at places that overlap. */
    public static DrawnKernel stores(long seed) {
        return new DrawnKernel(seed, StoresRecipe::new);
    }

    /** A convolution in large tiles. */
    public static DrawnKernel convolution(long seed) {
        return new DrawnKernel(seed, ConvolutionRecipe::new);
    }

    /** Attention, and loops like it. */
    public static DrawnKernel attention(long seed) {
        return new DrawnKernel(seed, AttentionRecipe::new);
    }

    public TileKernel kernel() {
        return kernel;
    }

    /** {@code mixed}, {@code product}: what made it. */
    public String kind() {
        return recipe.kind();
    }

    /** Whether the copy engine brings its tiles, as a rule. */
    public boolean isForCopyEngine() {
        return recipe.isForCopyEngine();
    }

    /** One of its launches. */
    public DrawnCase launch(int number) {
        return launch(number, MOST_TILES);
    }

    /** One of its launches with few tiles, where each takes a while. */
    public DrawnCase small(int number) {
        return launch(number, FEW_TILES);
    }

    private DrawnCase launch(int number, int mostTiles) {
        Draw draw = new Draw(seed * 1009 + number);
        Map<String, Long> extents = new HashMap<>();
        for (int most = 512; most > 0 && (extents.isEmpty() || tiles(extents) > mostTiles); most /= 2) {
            int less = most;
            kernel.dims().forEach(dim -> extents.put(dim.name(), ofTiles.getOrDefault(dim.name(),
                    extent(dim.name(), less, draw))));
        }
        return new DrawnCase(this, extents, draw);
    }

    private long tiles(Map<String, Long> extents) {
        return kernel.grid().steps().stream().mapToLong(steps -> Math.ceilDiv(steps.dim().in(extents).orElseThrow(),
                (long) steps.length())).reduce(1, Math::multiplyExact);
    }

    long seed() {
        return seed;
    }

    Recipe recipe() {
        return recipe;
    }

    int unit() {
        return unit;
    }

    private boolean isLast(String name) {
        return kernel.tensors().stream().anyMatch(t -> t.dims().getLast().name().equals(name));
    }

    private long extent(String name, int less, Draw draw) {
        int least = recipe.least(name);
        int most = Math.max(least, Math.min(recipe.most(name), less));
        long extent = draw.between(least, draw.once(3) ? most : Math.min(most, least + 40));
        int near = recipe.near(name);
        if (near > 0 && draw.once(2)) {
            extent = Math.clamp((long) near * draw.between(0, most / near) + draw.between(-1, 1), least, most);
        }
        return isLast(name) ? whole(extent) : extent;
    }

    /** A multiple of the unit, an odd one of each but 16. */
    private long whole(long extent) {
        long units = Math.ceilDiv(extent, (long) unit);
        return unit * (unit == 16 || units % 2 == 1 ? units : units + 1);
    }

    /** {@code seed 12, mixed}, and the listing. */
    @Override
    public String toString() {
        return "seed " + seed + ", " + kind() + ", rows of a multiple of " + unit + "\n" + kernel;
    }
}
