package dev.tilewright.tile.lower;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.TileOption;
import dev.tilewright.program.Body;
import dev.tilewright.program.Step;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Decision;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.lower.analysis.Epilogue;
import dev.tilewright.tile.lower.analysis.Indexes;
import dev.tilewright.tile.lower.analysis.TileOrder;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.exchange.Exchange;
import dev.tilewright.tile.lower.exchange.ExchangeNeeds;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.OutOfStagesException;
import dev.tilewright.tile.lower.layout.ProgramMaps;
import dev.tilewright.tile.lower.layout.Shortage;
import dev.tilewright.tile.lower.layout.Team;
import dev.tilewright.tile.lower.layout.Vectors;
import dev.tilewright.tile.lower.packed.PackedPattern;
import dev.tilewright.tile.lower.packed.PackedTurns;
import dev.tilewright.tile.lower.ring.ProductRing;
import dev.tilewright.tile.lower.ring.RingPattern;
import dev.tilewright.tile.lower.ring.RingSources;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Makes a tile program of a tile kernel. A product whose factors the copy engine can bring has warps that load and
 * warps that multiply ({@link ProductProgram}); of any other kernel a block's threads hold tiles in registers, and
 * exchange what another thread needs through shared memory.
 */
public final class Lowering {
    /** Bytes of the widest access. */
    public static final int ALIGNMENT = 16;
    /** What every GPU has. */
    private static final int LEAST_SHARED = 48 * 1024;
    /** Stages of a ring that threads fill; more hide no further latency. */
    private static final int USUAL_STAGES = 4;
    /** Along a dimension, for boxes of the copy engine: their coordinates, of 32 bits, reach a box further. */
    public static final long MOST_PLACES = (1L << 31) - (1 << 16);

    private final TileKernel kernel;
    private final Map<String, Long> known;
    private final ProductPattern.Match match;
    private final MatrixArithmetic whose;
    private final Target target;

    private Lowering(TileKernel kernel, Map<String, Long> known, ProductPattern.Match match, Target target) {
        this.kernel = kernel;
        this.known = known;
        this.match = match;
        this.whose = kernel.arithmetic(target);
        this.target = target;
    }

    /**
     * The program for a target: a product whose factors the copy engine can bring goes to the tensor cores of Hopper,
     * unless the schedule says how many threads do it; of any other kernel a block has as many threads as the schedule
     * says, else the fewest that hold the tiles.
     *
     * @param known extents by name; those of tiles must be among them, such as the width of whole rows
     * @param aligned whether a tensor's array is as {@link #isAligned} says
     * @throws IllegalArgumentException if the target cannot run it, or no number of threads holds its tiles
     */
    public static Lowered of(TileKernel kernel, Map<String, Long> known, Predicate<Tensor> aligned, Choices choices,
            Target target) {
        Paths.requireProducts(kernel, target);
        Optional<Tile> byGroups = Paths.byGroups(kernel, target);
        byGroups.ifPresent(product -> choices.requireGroup(kernel.name(), product));
        choices.requireEarly(kernel.name(), target);
        ProductPattern.Match match = Paths.match(kernel, known, aligned, choices, target);
        AttentionPattern.Match attention = Paths.attention(kernel, known, aligned, choices, target);
        PackedPattern.Match packed = Paths.packed(kernel, known, aligned, choices, target);
        RingPattern.Match ring = Paths.ring(kernel, known, aligned, target);
        if (match.pattern().isEmpty() && attention.pattern().isEmpty() && packed.pattern().isEmpty()) {
            choices.refusal(kernel.name(), match.reason(), ring).ifPresent(refusal -> {
                throw new BadRequestException(refusal);
            });
        }
        IllegalArgumentException last = null;
        Lowering lowering = new Lowering(kernel, Map.copyOf(known), match, target);
        if (match.pattern().isPresent()) {
            ProductPattern pattern = match.pattern().get();
            try {
                return lowering.product(pattern, aligned, choices).on(target);
            } catch (IllegalArgumentException e) {
                last = Shortage.require(e, choices.refusalOfProducts(kernel.name(), e.getMessage()));
                lowering = new Lowering(kernel, lowering.known, ProductPattern.none("tensor cores could read both "
                        + "factors where the copy engine puts them, but " + e.getMessage()), target);
            }
        }
        if (packed.pattern().isPresent()) {
            PackedPattern pattern = packed.pattern().get();
            choices.requireOnly(kernel.name(), "a product whose weights are packed", TileOption.STAGES);
            try {
                return lowering.packed(pattern, aligned, choices).on(target);
            } catch (IllegalArgumentException e) {
                last = Shortage.require(e, choices.refusalOfProducts(kernel.name(), e.getMessage()));
                if (!choices.goingAhead(pattern.bytes().tensor()).isEmpty()) {
                    throw e;
                }
            }
        }
        if (attention.pattern().isPresent()) {
            choices.goingAhead();
            choices.requireOnly(kernel.name(), "attention by wgmma", TileOption.STAGES, TileOption.GROUPS);
            try {
                return lowering.attention(attention.pattern().get(), choices).on(target);
            } catch (IllegalArgumentException e) {
                last = Shortage.require(e, choices.refusalOfProducts(kernel.name(), e.getMessage()));
            }
        }
        for (int threads : choices.tries(Paths.isOfHalves(kernel, known) && byGroups.isEmpty())) {
            try {
                return lowering.block(Team.block(threads), aligned, choices, ring).on(target);
            } catch (IllegalArgumentException e) {
                last = Shortage.require(e);
            }
        }
        if (Clusters.suit(kernel, choices, target)) {
            for (Team team : Clusters.TRIES) {
                try {
                    return lowering.alike(team, aligned, choices, RingPattern.none("blocks of a cluster share tiles"))
                            .on(target);
                } catch (IllegalArgumentException e) {
                    last = Shortage.require(e);
                }
            }
        }
        throw new IllegalArgumentException("kernel '" + kernel.name() + "': " + Shortage.text(last), last);
    }

    /** A program for Hopper in which the threads of clusters of 2, 4 or 8 blocks do the same. */
    static Lowered of(TileKernel kernel, Map<String, Long> known, Predicate<Tensor> aligned, int blocks, int threads) {
        return new Lowering(kernel, Map.copyOf(known), ProductPattern.none("all threads do the same work"),
                Target.SM_90A).alike(Team.cluster(blocks, threads), aligned, Choices.NONE,
                RingPattern.none("blocks of a cluster share tiles"));
    }

    /** Whether rows begin at multiples of 16 bytes, and have a multiple of 16: they are moved 16 bytes at a time. */
    public static boolean isAligned(Tensor tensor, ArrayShape shape) {
        long each = ALIGNMENT / tensor.type().bytes();
        return shape.extents().getLast() % each == 0 && shape.strides().subList(0, shape.strides().size() - 1).stream()
                .allMatch(stride -> stride > 0 && stride % each == 0);
    }

    /** A block's threads do the same; with copies ahead of products, as far as there is room for stages. */
    private Lowered block(Team team, Predicate<Tensor> aligned, Choices choices, RingPattern.Match ring) {
        try {
            return alike(team, aligned, choices, ring);
        } catch (OutOfStagesException e) {
            if (ring.pattern().isEmpty() || choices.has(TileOption.STAGES)) {
                throw e;
            }
            return alike(team, aligned, choices, RingPattern.none(e.getMessage()));
        }
    }

    private Lowered alike(Team team, Predicate<Tensor> aligned, Choices choices, RingPattern.Match match) {
        return twice(needs -> {
            Optional<ProductRing> ring = match.pattern().map(pattern -> ring(pattern, team, choices, needs.bytes()));
            Exchange exchange = ring.map(ProductRing::memory).filter(stages -> stages.bytes() >= needs.bytes())
                    .map(stages -> new Exchange(stages, needs, team)).orElseGet(() -> exchange(needs, team));
            // A grid that is said here is of one tile a block, which has no next tile.
            Optional<RowAhead> ahead = choices.grid().isPresent() ? Optional.empty()
                    : RowAhead.of(kernel, known, team, aligned);
            Set<Tensor> direct = Set.copyOf(kernel.tensors());
            Vectors vectors = new Vectors(aligned);
            Set<String> before = choices.goingAhead(read());
            boolean beginsWithin = !before.isEmpty() && ahead.isEmpty();
            TileSteps steps = new TileSteps(kernel, known, whose, exchange, vectors, new Mechanisms() {
                private boolean waited = !beginsWithin;

                @Override
                public Optional<RowAhead> ahead() {
                    return ahead;
                }

                @Override
                public boolean turns(Body body, Indexes indexes, TileNode.Loop loop, List<Held> carried, Expr first,
                        Expr end) {
                    ring.filter(r -> r.pattern().loop() == loop).ifPresent(r -> r.turns(body, new Sources(indexes,
                            loop), carried, first, end));
                    return ring.filter(r -> r.pattern().loop() == loop).isPresent();
                }

                @Override
                public void before(Body body, Region.Item item) {
                    if (!waited && !(item instanceof Tile tile && (!(tile.node() instanceof TileNode.Load load)
                            || before.contains(load.tensor().name())))) {
                        waitForPriorGrid(body);
                        waited = true;
                    }
                }
            });
            List<Step> written = Body.steps(body -> {
                begin(body, choices.isEarly(), !beginsWithin);
                steps.grid.write(body);
                if (beginsWithin && !new TileOrder(kernel).serial().isEmpty()) {
                    // Where there is nothing to go through: launches behind wait for this one, and for those in front.
                    waitForPriorGrid(body);
                }
            });
            return () -> {
                List<SharedRegion> regions = new ArrayList<>(exchange.regions());
                ring.map(ProductRing::memory).filter(memory -> !regions.contains(memory)).ifPresent(regions::add);
                ahead.ifPresent(row -> regions.addAll(row.regions()));
                Lowered made = lowered(team.threads(), team.blocks(), regions, direct, List.of(), ahead.map(_ ->
                        Clusters.GRID), ProductCluster.NONE, written, begun(choices.isEarly(), beginsWithin ? before
                        : Set.of(), Decisions.of(kernel, whose, this.match, steps.tiles(), direct, vectors,
                        Optional.empty(), new Decisions.Ahead(ahead, ring, match.reason()))));
                return team.blockBits() > 0 ? Clusters.atOnce(made) : choices.get(TileOption.RESIDENT)
                        .map(blocks -> made.atOnce(blocks, "the schedule says so")).orElse(made);
            };
        });
    }

    private Lowered product(ProductPattern pattern, Predicate<Tensor> aligned, Choices choices) {
        Epilogue epilogue = Epilogue.of(kernel);
        return roles(needs -> new ProductProgram(kernel, known, pattern, epilogue, aligned, choices, needs.bytes()),
                pattern.cluster(), choices, choices.goingAhead(pattern.ahead()), product -> Decisions.of(kernel, whose,
                        match, product.tiles(), product.direct(), new Vectors(aligned), Optional.of(product),
                        Decisions.Ahead.NONE));
    }

    /** @param ahead names of tensors that are read before the launch in front has ended */
    private <P extends RoleProgram> Lowered roles(Function<ExchangeNeeds, P> make, ProductCluster cluster,
            Choices choices, Set<String> ahead, Function<P, List<Decision>> decisions) {
        return twice(needs -> {
            P program = make.apply(needs);
            Exchange exchange = exchange(needs, program.team());
            List<Step> steps = Body.steps(body -> program.write(body, exchange, whose));
            return () -> {
                List<SharedRegion> regions = new ArrayList<>(program.regions());
                regions.add(exchange.scratch());
                return lowered(program.threads(), cluster.blocks(), regions, program.direct(), program.maps.all(),
                        choices.grid(), cluster, steps, begun(choices.isEarly(), ahead, decisions.apply(program)));
            };
        });
    }

    /**
     * As many stages as are chosen, else as suit, in what the target's blocks have.
     *
     * @throws OutOfStagesException if there is no room for them
     */
    private ProductRing ring(RingPattern pattern, Team team, Choices choices, int scratchBytes) {
        int most = target.sharedMemoryPerBlock().orElse(LEAST_SHARED);
        // What is exchanged before and after the loop may lie in the stages.
        int usual = Math.min(USUAL_STAGES, most / pattern.bytes());
        int stages = choices.get(TileOption.STAGES).orElse((long) usual * pattern.bytes() >= scratchBytes ? usual
                : Math.min(USUAL_STAGES, (most - scratchBytes) / pattern.bytes()));
        long bytes = (long) stages * pattern.bytes();
        if (stages < 2 || bytes + (bytes >= scratchBytes ? 0 : scratchBytes) > most) {
            throw new OutOfStagesException(Math.max(2, stages) + " stages of " + pattern.bytes() + " bytes and "
                    + scratchBytes + " bytes to exchange tiles through are more than the " + most + " bytes of shared "
                    + "memory that a block has: use smaller tiles or fewer stages");
        }
        return new ProductRing(pattern, team, stages, product -> Multiplier.types(product.product()));
    }

    /** Where a program has what copies read. */
    private record Sources(Indexes indexes, TileNode.Loop loop) implements RingSources {
        @Override
        public Expr of(Expr place) {
            return indexes.of(place);
        }

        @Override
        public void turn(Expr number) {
            indexes.variables().put(loop.turn().number(), number);
        }

        @Override
        public Parameter.Pointer pointer(Tensor tensor) {
            return Lowered.pointer(tensor);
        }

        @Override
        public Expr stride(Tensor tensor, int dimension) {
            return Lowered.stride(tensor, dimension).value();
        }
    }

    /** Tensors that are read alone. */
    private Tensor[] read() {
        return kernel.tensors().stream().filter(tensor -> tensor.role() == Tensor.Role.IN).toArray(Tensor[]::new);
    }

    /** @param waits whether nothing goes ahead of the launch in front */
    private static void begin(Body body, boolean early, boolean waits) {
        if (early) {
            body.purpose("the next launch may begin").launchDependents();
            if (waits) {
                waitForPriorGrid(body);
            }
        }
    }

    private static void waitForPriorGrid(Body body) {
        body.purpose("wait for what the previous launch writes").waitForPriorGrid();
    }

    /** Decisions, and when a launch begins. */
    private List<Decision> begun(boolean early, Set<String> ahead, List<Decision> decisions) {
        List<Decision> all = new ArrayList<>(decisions);
        if (early) {
            all.add(new Decision(Decision.Pass.GRID, "kernel " + kernel.name(), "starts before the previous launch has "
                    + "ended, and waits for it before it touches any tensor"
                    + (ahead.isEmpty() ? "" : ahead.stream().sorted().map(name -> "'" + name + "'")
                    .collect(Collectors.joining(" and ", " but ", ""))), "its start-up overlaps that launch"));
        }
        return all;
    }

    private Lowered packed(PackedPattern pattern, Predicate<Tensor> aligned, Choices choices) {
        Set<String> ahead = choices.goingAhead(pattern.bytes().tensor());
        if (!pattern.hasFewRows()) {
            return roles(needs -> new PackedProgram(kernel, known, pattern, aligned, choices, needs.bytes()),
                    ProductCluster.NONE, choices, ahead, PackedProgram::decisions);
        }
        Lowered made = roles(needs -> new PackedWarpsProgram(kernel, known, pattern, aligned, choices, target,
                needs.bytes()), ProductCluster.NONE, choices, ahead, PackedWarpsProgram::decisions);
        return PackedWarpsProgram.atOnce(pattern, target) == 1 ? made : made.atOnce(PackedTurns.AT_ONCE);
    }

    private Lowered attention(AttentionPattern pattern, Choices choices) {
        ExchangeNeeds needs = new ExchangeNeeds();
        AttentionProgram program = new AttentionProgram(kernel, known, pattern, choices);
        Exchange exchange = exchange(needs, program.team());
        List<Step> steps = Body.steps(body -> {
            begin(body, choices.isEarly(), true);
            program.write(body, exchange, whose);
        });
        if (needs.any()) {
            throw new OutOfStagesException("threads of a group would exchange tiles, for which there is no room");
        }
        return lowered(program.threads(), 1, program.regions(), program.direct(), program.maps().all(),
                choices.grid(), ProductCluster.NONE, steps,
                begun(choices.isEarly(), Set.of(), program.decisions()));
    }

    /** What exchanges need is known when the steps are written: those that need something are written twice. */
    private static Lowered twice(Function<ExchangeNeeds, Supplier<Lowered>> write) {
        ExchangeNeeds needs = new ExchangeNeeds();
        Supplier<Lowered> first = write.apply(needs);
        return (needs.none() ? first : write.apply(needs)).get();
    }

    /** @throws OutOfStagesException if a block of the target has less shared memory */
    private Lowered lowered(int threads, int blocks, List<SharedRegion> regions, Set<Tensor> direct,
            List<ProgramMaps.Mapped> maps, Optional<GridPolicy> grid, ProductCluster cluster, List<Step> steps,
            List<Decision> decisions) {
        SharedLayout shared = new SharedLayout(regions);
        int most = target.sharedMemoryPerBlock().orElse(SharedLayout.LARGEST);
        if (shared.bytes() > most) {
            throw new OutOfStagesException("what threads exchange and bring ahead takes " + shared.bytes()
                    + " bytes of shared memory, and a block of " + target + " has " + most + ": use smaller tiles");
        }
        return new Lowered(kernel, new TileProgram(kernel.name(), "tile kernel " + kernel.name(), threads, blocks,
                Lowered.parameters(kernel, known, direct, maps), shared, steps), known, direct, maps, grid, cluster,
                decisions);
    }

    private Exchange exchange(ExchangeNeeds needs, Team team) {
        return new Exchange(new SharedRegion.Buffer("scratch", needs.bytes(), 16), needs, team);
    }
}
