package dev.tilewright.tile.run;

import dev.tilewright.tile.Dim;
import dev.tilewright.tile.TileNode;
import java.util.List;

/** A function of elements over a tile. */
final class MapRun {
    /**
     * Elements of all results on the way that a tile computed as a whole has at most: what the second cache of a core
     * has room for several times. Others are computed by runs, whose elements stay near, but are copied to and fro.
     */
    private static final int MOST = 1 << 15;

    private final ElementCode code;
    private final List<Elements> inputs;
    private final Numbers numbers;
    private final Elements[] registers;
    private final int columns;
    private final int[] shape;
    private final int[][] strides;
    private final boolean whole;

    /** @param shape of the tile @param inputs what the function is given */
    MapRun(TileNode.Map map, List<Dim> shape, List<Elements> inputs, Numbers numbers) {
        this.code = new ElementCode(map.parameters(), map.value());
        this.inputs = inputs;
        this.numbers = numbers;
        int[] extents = numbers.extents(shape);
        int total = numbers.count(shape);
        boolean flat = map.inputs().stream().allMatch(t -> numbers.count(t.shape()) == 1 || t.shape().equals(shape));
        this.columns = flat || extents.length == 0 ? total : extents[extents.length - 1];
        this.shape = flat ? new int[] {total} : extents;
        this.strides = map.inputs().stream().map(t -> flat ? new int[] {numbers.count(t.shape()) == total ? 1 : 0}
                : IndexMaps.strides(numbers.extents(t.shape()), extents.length)).toArray(int[][]::new);
        this.whole = flat && code.size() > 0 && code.result() >= inputs.size() && (long) code.size() * total <= MOST;
        this.registers = code.registers(whole ? total : Math.min(columns, ElementCode.RUN), i -> whole
                && (i == code.result() || i < strides.length && strides[i][0] == 1));
    }

    void run(Elements out) {
        if (whole) {
            whole(out);
            return;
        }
        if (code.isMove() && shape.length == 1 && strides[code.result()][0] == 1) {
            out.take(inputs.get(code.result()));
            return;
        }
        code.begin(registers, numbers::word);
        int rank = shape.length;
        int[] at = new int[rank];
        int rows = columns == 0 ? 0 : out.count() / columns;
        for (int row = 0; row < rows; row++) {
            for (int first = 0; first < columns; first += ElementCode.RUN) {
                int n = Math.min(ElementCode.RUN, columns - first);
                for (int i = 0; i < strides.length; i++) {
                    input(i, at, first, n);
                }
                code.apply(registers, n);
                out.copy(row * columns + first, registers[code.result()], 0, n);
                out.settledAs(registers[code.result()]);
            }
            for (int i = rank - 2; i >= 0 && ++at[i] == shape[i]; i--) {
                at[i] = 0;
            }
        }
    }

    private void whole(Elements out) {
        int n = out.count();
        for (int i = 0; i < strides.length; i++) {
            if (strides[i][0] == 1) {
                registers[i] = inputs.get(i);
            } else {
                repeat(i, 0, n);
            }
        }
        registers[code.result()] = out;
        code.begin(registers, numbers::word);
        code.apply(registers, n);
    }

    private void input(int i, int[] at, int first, int n) {
        Elements from = inputs.get(i);
        int base = 0;
        for (int d = 0; d < at.length - 1; d++) {
            base += at[d] * strides[i][d];
        }
        if (strides[i][strides[i].length - 1] == 0) {
            repeat(i, base, n);
        } else {
            registers[i].copy(0, from, base + first, n);
            registers[i].settledAs(from);
        }
    }

    private void repeat(int i, int at, int n) {
        Elements from = inputs.get(i).settle(inputs.get(i).count());
        registers[i].fill(0, n, from.word(at));
        registers[i].settledAs(from);
    }
}
