package dev.tilewright.tile.launch;

import dev.tilewright.builder.TileOption;
import dev.tilewright.BadRequestException;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.LineException;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.Choices;
import dev.tilewright.tile.lower.Lowered;
import dev.tilewright.tile.lower.Lowering;
import dev.tilewright.tile.lower.layout.Shortage;
import dev.tilewright.tile.lower.Paths;
import dev.tilewright.tile.lower.TileSize;
import dev.tilewright.tile.run.StoresApart;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The programs of a kernel: one for each extent of its tiles and each target that a launch came with. */
final class Programs {
    /** How many programs are kept, the ones used last. */
    private static final int MOST = 64;

    /** Of a block. */
    private static final int MOST_THREADS = 1024;

    /** Multiprocessors of an H100 or H200, where a program is made for no one GPU. */
    private static final int USUAL_MULTIPROCESSORS = 132;

    /** What decides a program. @param extents of tiles that the launch gives, by name */
    private record Key(List<Steps> tiles, Choices choices, Map<String, Long> extents, Set<String> aligned,
            Target target) { }

    /** What decides how large tiles are. */
    private record Launched(Map<String, Long> extents, Set<String> aligned, Target target, int multiprocessors) { }

    /** The least recently used ones go. */
    private static final class Kept<K, V> extends LinkedHashMap<K, V> {
        private static final long serialVersionUID = 1L;

        Kept() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > MOST;
        }
    }

    /** A program, and how large its tiles are. */
    record Made(Lowered lowered, TileSize size) { }

    private final TileKernel kernel;
    private final Function<Grid, TileKernel> inTiles;
    private final Choices choices;
    private final StoresApart apart;
    private final boolean products;
    private final Set<String> ofTiles = new TreeSet<>();
    private final Map<Launched, TileSize> sizes = new Kept<>();
    private final Map<Key, Made> made = new Kept<>();

    /** @param inTiles the kernel with another grid */
    Programs(TileKernel kernel, Function<Grid, TileKernel> inTiles, Choices choices) {
        this.kernel = choices.has(TileOption.TILE) ? inTiles.apply(choices.tiled(kernel.name(), kernel.grid()))
                : kernel;
        this.inTiles = inTiles;
        this.choices = choices;
        choices.requireTensors(kernel);
        this.apart = new StoresApart(kernel);
        this.products = kernel.grid().body().tiles().anyMatch(tile -> tile.node() instanceof TileNode.Product);
        kernel.grid().body().tiles().flatMap(tile -> tile.shape().stream()).forEach(this::findExtents);
    }

    private void findExtents(Dim extent) {
        if (extent.size().isEmpty()) {
            kernel.dims().stream().filter(extent::isOf).map(Dim::name).forEach(ofTiles::add);
        }
    }

    /** Names of the dimensions whose extents tiles have. */
    List<String> extentsOfTiles() {
        return List.copyOf(ofTiles);
    }

    Launch launch(Map<String, ArrayShape> shapes, Scalars scalars, Target target, int multiprocessors) {
        Map<String, Long> extents = Extents.of(kernel, shapes);
        apart.require(extents, shapes);
        kernel.tensors().forEach(tensor -> requireLastStride(tensor, shapes.get(tensor.name())));
        Map<String, Argument> words = new HashMap<>();
        scalars.bits(kernel.scalars()).forEach((scalar, bits) -> words.put(scalar.name(), new Argument.Scalar(bits)));
        if (Extents.leaveNothing(kernel, shapes)) {
            return empty(extents, words, target, multiprocessors);
        }
        // A tensor without elements has no tensor map, and nothing to be moved in wide words.
        Set<String> aligned = new TreeSet<>();
        kernel.tensors().stream().filter(tensor -> isAligned(tensor, shapes.get(tensor.name()))
                && shapes.get(tensor.name()).reach() > 0).forEach(tensor -> aligned.add(tensor.name()));
        return lowered(extents, aligned, target, multiprocessors).lowered().launch(extents, shapes, words,
                multiprocessors);
    }

    /** A kernel with products moves aligned tensors in boxes, whose coordinates have 32 bits. */
    private boolean isAligned(Tensor tensor, ArrayShape shape) {
        return Lowering.isAligned(tensor, shape) && !(products && shape.extents().stream().anyMatch(extent ->
                extent > Lowering.MOST_PLACES));
    }

    /** A launch of no blocks. */
    private Launch empty(Map<String, Long> extents, Map<String, Argument> words, Target target, int multiprocessors) {
        Map<String, Long> ones = new HashMap<>(extents);
        ones.replaceAll((_, extent) -> Math.max(1, extent));
        Map<String, ArrayShape> shapes = new HashMap<>();
        // An extent that is computed may be 0 yet, and a map has places.
        kernel.tensors().forEach(tensor -> shapes.put(tensor.name(), ArrayShape.dense(kernel.shape(tensor, ones)
                .stream().map(extent -> Math.max(1, extent)).toList())));
        Launch launch = lowered(ones, target).lowered().launch(ones, shapes, words, multiprocessors);
        return new Launch(launch.program(), 0, launch.arguments());
    }

    /** The program for these extents of dense tensors; rows whose extent is not there are taken for aligned. */
    Made lowered(Map<String, Long> extents, Target target) {
        Set<String> aligned = new TreeSet<>();
        for (Tensor tensor : kernel.tensors()) {
            List<Long> shape = tensor.dims().stream().map(dim -> dim.in(extents).orElse(Lowering.ALIGNMENT)).toList();
            if (isAligned(tensor, ArrayShape.dense(shape))) {
                aligned.add(tensor.name());
            }
        }
        return lowered(extents, aligned, target, USUAL_MULTIPROCESSORS);
    }

    /** The program for these extents. @param aligned names of tensors as Lowering.isAligned has it */
    private Made lowered(Map<String, Long> extents, Set<String> aligned, Target target, int multiprocessors) {
        Map<String, Long> known = new HashMap<>(extents);
        known.keySet().retainAll(ofTiles);
        ofTiles.stream().filter(name -> !known.containsKey(name)).findFirst().ifPresent(name -> {
            throw new IllegalArgumentException("kernel '" + kernel.name() + "' has tiles of extent '" + name
                    + "', which its programs are made for: say it, in Java such as Map.of(\"" + name
                    + "\", 1024L), in the command --extents " + name + "=1024");
        });
        known.forEach((name, extent) -> {
            if (extent == 0) {
                throw new IllegalArgumentException("kernel '" + kernel.name() + "' has tiles of extent '" + name
                        + "', which is 0, and its results need tiles with elements: give it 1 or more");
            }
            if (extent > Integer.MAX_VALUE) {
                throw new LineException("kernel '" + kernel.name() + "' has tiles of extent '" + name + "', which is "
                        + extent + " here, and a tile has less than 2^31 elements along it: go along it in steps",
                        kernel.grid().line());
            }
        });
        TileSize size = size(new Launched(extents, aligned, target, multiprocessors));
        Key key = new Key(size.kernel().grid().steps(), size.choices(), Map.copyOf(known), aligned,
                target);
        synchronized (made) {
            Made found = made.get(key);
            if (found == null) {
                Paths.requireProducts(kernel, target);
                found = atLine(() -> made(size, known, aligned, target));
                made.put(key, found);
            }
            return found;
        }
    }

    /** Says at which line tiles are gone through for which a block lacks registers or shared memory. */
    private Made atLine(Supplier<Made> make) {
        try {
            return make.get();
        } catch (IllegalArgumentException e) {
            if (!Shortage.is(e) || e instanceof BadRequestException) {
                throw e;
            }
            throw new IllegalArgumentException(e.getMessage() + choices.get(TileOption.TILE).map(_ -> "; the schedule "
                    + "has " + TileOption.TILE.name() + "=" + choices.schedule().get(TileOption.TILE.name()).orElse("")
                    + ": choose a smaller one, or leave it out").orElse("") + " (at " + kernel.grid().line() + ")", e);
        }
    }

    /**
     * Where a block lacks registers or shared memory: without what the schedule does not ask for, then in smaller
     * tiles, unless the schedule says how large they are.
     */
    private Made made(TileSize size, Map<String, Long> known, Set<String> aligned, Target target) {
        try {
            return new Made(Lowering.of(size.kernel(), known, tensor -> aligned.contains(tensor.name()), size.choices(),
                    target), size);
        } catch (IllegalArgumentException e) {
            if (!Shortage.is(e)) {
                throw e;
            }
            if (!size.choices().equals(choices)) {
                return made(new TileSize(size.kernel(), choices, Optional.empty()), known, aligned, target);
            }
            if (choices.has(TileOption.THREADS)) {
                throw refusal(size, known, aligned, target, e);
            }
            if (choices.has(TileOption.TILE)) {
                throw e;
            }
            TileSize smaller = size.halved(inTiles, e.getMessage()).orElseThrow(() -> e);
            try {
                return made(smaller, known, aligned, target);
            } catch (IllegalArgumentException _) {
                throw e;
            }
        }
    }

    /** Says which number of blocks at once, or of threads, would do. @param e what a program by the schedule's lacks */
    private IllegalArgumentException refusal(TileSize size, Map<String, Long> known, Set<String> aligned, Target target,
            IllegalArgumentException e) {
        int asked = choices.get(TileOption.THREADS).orElseThrow();
        int blocks = choices.get(TileOption.RESIDENT).orElse(0);
        Predicate<Choices> fits = other -> {
            try {
                Lowering.of(size.kernel(), known, tensor -> aligned.contains(tensor.name()), other, target);
                return true;
            } catch (IllegalArgumentException _) {
                return false;
            }
        };
        String no = "kernel '" + kernel.name() + "' has no room with " + TileOption.THREADS.name() + "=" + asked
                + (blocks == 0 ? "" : " " + TileOption.RESIDENT.name() + "=" + blocks);
        for (int fewer = blocks - 1; fewer > 0; fewer--) {
            if (fits.test(choices.with(TileOption.RESIDENT, fewer))) {
                return new IllegalArgumentException(no + ": choose " + TileOption.RESIDENT.name() + "=" + fewer
                        + ", the most that do for these extents. " + e.getMessage(), e);
            }
        }
        Choices alone = blocks == 0 ? choices : choices.with(TileOption.RESIDENT, 1);
        for (int threads = 2 * asked; threads <= MOST_THREADS; threads *= 2) {
            if (fits.test(alone.with(TileOption.THREADS, threads))) {
                List<String> unaligned = kernel.tensors().stream().map(Tensor::name)
                        .filter(name -> !aligned.contains(name)).toList();
                return new IllegalArgumentException(no + (unaligned.isEmpty() ? "" : " where rows of " + unaligned
                        + " are no multiples of " + Lowering.ALIGNMENT + " bytes") + ": choose "
                        + TileOption.THREADS.name() + "=" + threads + (blocks == 0 ? "" : " "
                        + TileOption.RESIDENT.name() + "=1") + ", the fewest that do for these extents, or smaller "
                        + "tiles. " + e.getMessage(), e);
            }
        }
        return new IllegalArgumentException(no + ", nor with more: choose smaller tiles. " + e.getMessage(), e);
    }

    /** How large tiles are: the kernel's own where the launch does not give all extents. */
    private TileSize size(Launched launched) {
        if (!kernel.dims().stream().allMatch(dim -> launched.extents().containsKey(dim.name()))) {
            return new TileSize(kernel, choices, Optional.empty());
        }
        synchronized (sizes) {
            return sizes.computeIfAbsent(launched, l -> TileSize.of(kernel, inTiles, new TileSize.Launched(l.extents(),
                    tensor -> l.aligned().contains(tensor.name()), choices, l.target(), l.multiprocessors())));
        }
    }

    private void requireLastStride(Tensor tensor, ArrayShape shape) {
        if (shape.strides().getLast() != 1 && shape.extents().getLast() > 1) {
            throw new IllegalArgumentException("kernel '" + kernel.name() + "': tensor '" + tensor.name() + "' of "
                    + shape + " has a last stride of " + shape.strides().getLast() + ", and on a GPU it must be 1: "
                    + "declare its dimensions in the other order, or run it on the CPU");
        }
    }
}
