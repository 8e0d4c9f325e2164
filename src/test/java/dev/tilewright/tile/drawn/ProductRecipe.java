package dev.tilewright.tile.drawn;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Position;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileScope;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A product of matrices of each type, with any transposition, batched, and something done to the sums. One for the copy
 * engine has tiles, types and alignments that boxes can have, as a rule small tiles, and is otherwise as any.
 */
final class ProductRecipe implements Recipe {
    private final Draw draw;
    private final boolean boxed;
    private final ValueType type;
    /** Of the right factor: another one of 8 bits, or the same. */
    private final ValueType right;
    private final ValueType held;
    private final ValueType sums;
    private final int rows;
    private final int columns;
    private final Along along;
    /** Of k, so that stages are filled again. */
    private final int leastDepth;
    private final Moved stored;
    /** How far rows are stored below their own. */
    private final Optional<Moved> below;
    private final boolean turnedA;
    private final boolean turnedB;
    private final boolean batched;
    private final int epilogue;

    ProductRecipe(Draw draw) {
        this(draw, false);
    }

    /** @param boxed whether it is for the copy engine */
    ProductRecipe(Draw draw, boolean boxed) {
        this.draw = draw;
        this.boxed = boxed;
        type = draw.any(ValueType.BF16, ValueType.BF16, ValueType.BF16, ValueType.F16, ValueType.F16, ValueType.TF32,
                ValueType.E4M3, ValueType.E5M2, ValueType.I8, ValueType.U8, ValueType.F32, ValueType.F64);
        boolean other = draw.once(2);
        right = !other ? type : switch (type) {
            case E4M3 -> ValueType.E5M2;
            case E5M2 -> ValueType.E4M3;
            case I8 -> ValueType.U8;
            case U8 -> ValueType.I8;
            default -> type;
        };
        held = type == ValueType.TF32 ? ValueType.F32 : type;
        sums = type == ValueType.F64 ? type : type.isInteger() ? ValueType.I32
                : type == ValueType.F16 && !boxed && draw.once(3) ? type : ValueType.F32;
        int width = type == ValueType.F64 || type == ValueType.F32 ? 2 : 0;
        if (boxed && width > 0) {
            // Threads that read boxes hold whole blocks of sums.
            rows = 64 << draw.below(2);
            columns = (type == ValueType.F32 ? 8192 : 4096) / rows;
        } else {
            rows = (64 >> width) << (boxed ? draw.below(4) / 2 : draw.below(3));
            columns = 16 << draw.below(rows == 256 || width > 0 || boxed ? 3 : 5);
        }
        int depth = ((boxed && type == ValueType.F64 ? 1024 : 256) / type.bits()) << draw.below(
                width > 0 ? 2 : boxed ? 3 : 4);
        along = boxed ? draw.alongBoxes(depth, type.bytes()) : draw.along(depth);
        // Tensor cores take those of other widths only where k is what follows in memory.
        boolean either = type.bits() == 16 || boxed && width > 0 || !boxed && draw.once(6);
        turnedA = either && draw.once(2);
        turnedB = !either || draw.once(2);
        batched = draw.once(4);
        epilogue = draw.below(8);
        stored = boxed ? draw.movedBoxes(columns, false) : draw.moved(columns);
        below = boxed ? Optional.of(draw.movedBoxes(rows, true)) : Optional.empty();
        leastDepth = boxed ? 1 + depth * draw.below(8) : 1;
    }

    @Override
    public String kind() {
        return boxed ? "product for boxes" : Recipe.super.kind();
    }

    @Override
    public boolean isForCopyEngine() {
        return boxed;
    }

    @Override
    public int most(String dim) {
        return dim.equals("batch") ? 3 : boxed ? 200 : 300;
    }

    @Override
    public int least(String dim) {
        return dim.equals("k") ? leastDepth : 1;
    }

    @Override
    public List<Integer> units() {
        return boxed ? List.of(type.bits() == 8 ? 16 : 8, 16, 16) : List.of(1, 8, 16, 16, 16, 16, 16);
    }

    @Override
    public void trace(TileScope k) {
        if (draw.once(3)) {
            k.arithmetic(draw.any(boxed ? MatrixArithmetic.HOPPER_WGMMA : MatrixArithmetic.HOPPER_MMA_SYNC,
                    MatrixArithmetic.HOPPER_WGMMA));
        }
        Dim m = k.dim("m");
        Dim n = k.dim("n");
        Dim depth = k.dim("k");
        Dim batch = batched ? k.dim("batch") : null;
        Tensor a = k.in("a", held, with(batch, turnedA ? depth : m, turnedA ? m : depth));
        Tensor b = k.in("b", right == type ? held : right, with(batch, turnedB ? n : depth, turnedB ? depth : n));
        Tensor c = epilogue == 0 ? k.out("c", sums, with(batch, m, n))
                : epilogue == 5 ? k.inOut("c", held, with(batch, m, n)) : k.out("c", held, with(batch, m, n));
        Tensor bias = epilogue == 2 ? k.in("bias", sums, n) : epilogue == 3 ? k.in("bias", sums, m) : null;
        Tensor more = epilogue == 4 ? k.in("more", held, with(batch, m, n)) : null;
        if (batched) {
            k.forEachTile(c, 1, rows, columns, at -> tile(k, at, a, b, c, bias, more));
        } else {
            k.forEachTile(c, rows, columns, at -> tile(k, at, a, b, c, bias, more));
        }
    }

    private static Dim[] with(Dim batch, Dim... matrix) {
        List<Dim> dims = new ArrayList<>(List.of(matrix));
        if (batch != null) {
            dims.addFirst(batch);
        }
        return dims.toArray(Dim[]::new);
    }

    private void tile(TileScope k, Position at, Tensor a, Tensor b, Tensor c, Tensor bias, Tensor more) {
        Dim depth = a.dims().get(turnedA ? a.dims().size() - 2 : a.dims().size() - 1);
        Tile sum = k.fold(k.zeros(sums, rows, columns), along.steps(k, depth), (s, step) -> {
            Span i = along.of(step);
            Span j = along.ofOther(step);
            Tile left = a.tile(spans(at, turnedA ? i : at.row(), turnedA ? at.row() : i)).to(type);
            Tile other = b.tile(spans(at, turnedB ? at.column() : j, turnedB ? j : at.column())).to(right);
            return s.mma(turnedA ? left.transposed() : left, turnedB ? other.transposed() : other);
        });
        Tile result = switch (epilogue) {
            case 2 -> sum.plus(bias.tile(at.column())).map(x -> x.max(0));
            case 3 -> sum.times(bias.tile(at.row()).reshaped(rows, 1));
            case 4 -> sum.times(2).plus(as(more.tile(at), sums));
            case 5 -> sum.plus(as(c.tile(at), sums));
            case 6 -> sum.minus(sum.max(1));
            case 7 -> as(sum, ValueType.F32).map(ElementWords.ofF32(draw));
            default -> sum;
        };
        Span column = epilogue == 5 ? at.column() : stored.of(at.column(), c.dims().getLast());
        Span row = below.filter(_ -> epilogue != 5).map(moved -> moved.of(at.row(), c.dims().get(batched ? 1 : 0)))
                .orElse(at.row());
        c.store(as(result, c.type()), spans(at, row, column));
    }

    private Tile as(Tile tile, ValueType to) {
        return tile.map(x -> ElementWords.to(draw, x, to));
    }

    private Span[] spans(Position at, Span first, Span second) {
        return batched ? new Span[] {at.get(0), first, second} : new Span[] {first, second};
    }
}
