package dev.tilewright.layout;

import java.util.Objects;

/**
 * The mapping of a matrix's elements to threads and registers, for the operands and results of {@code mma.sync} and
 * {@code wgmma}. Registers have 32 bits (64 for f64) and hold one element or several, the first in the lowest bits.
 * Source: the figures in the PTX ISA, "Matrix fragments for mma" and "Register fragments for wgmma"; they all follow
 * one rule each for A, B and the accumulators.
 *
 * @param matrix which of the matrices
 * @param rows of the matrix: 8, 16 or, of a warpgroup, 64; of B its k
 * @param columns of the matrix: of A its k
 * @param elementBits 8, 16, 32 or 64
 */
public record MmaFragment(Matrix matrix, int rows, int columns, int elementBits) {

    /** The matrices of D = A B + C. */
    public enum Matrix {
        A, B,
        /** C, and D. */
        ACCUMULATOR
    }

    private static final int WARP = 32;
    private static final int QUAD = 4;
    private static final int GROUP_ROWS = 8;
    private static final int WARP_ROWS = 16;

    /** @throws IllegalArgumentException for sizes that no instruction has */
    public MmaFragment {
        Objects.requireNonNull(matrix, "matrix");
        if (elementBits != 8 && elementBits != 16 && elementBits != 32 && elementBits != 64) {
            throw new IllegalArgumentException("matrix elements have 8, 16, 32 or 64 bits, got " + elementBits);
        }
        int step = matrix == Matrix.ACCUMULATOR ? 8 : QUAD * Math.max(1, 32 / elementBits);
        int along = matrix == Matrix.B ? rows : columns;
        int across = matrix == Matrix.B ? columns : rows;
        boolean good = matrix == Matrix.B ? across == 8 : across == 8 || across == 16 || across == 64;
        if (!good) {
            throw new IllegalArgumentException("in registers A and the accumulators have 8, 16 or 64 rows and B has 8 "
                    + "columns, got " + rows + " x " + columns + " of " + matrix);
        }
        if (along < step || along % step != 0) {
            throw new IllegalArgumentException("registers hold " + matrix + " of " + elementBits
                    + "-bit elements in steps of "
                    + step + (matrix == Matrix.ACCUMULATOR ? " columns" : " k") + ", got " + along);
        }
        if (matrix == Matrix.ACCUMULATOR && elementBits == 8) {
            throw new IllegalArgumentException("accumulators have 16, 32 or 64 bits, got 8");
        }
    }

    /** A of {@code mma.sync}: m is 8 or 16. A of {@code wgmma}: m is 64. */
    public static MmaFragment a(int m, int k, int elementBits) {
        return new MmaFragment(Matrix.A, m, k, elementBits);
    }

    /** B of {@code mma.sync}: n is 8. */
    public static MmaFragment b(int k, int n, int elementBits) {
        return new MmaFragment(Matrix.B, k, n, elementBits);
    }

    /** C and D of {@code mma.sync} (m 8 or 16, n 8) and of {@code wgmma} (m 64). */
    public static MmaFragment accumulator(int m, int n, int elementBits) {
        return new MmaFragment(Matrix.ACCUMULATOR, m, n, elementBits);
    }

    /** The threads that hold it: 32, or a warpgroup's 128. */
    public int threads() {
        return rows == 64 && matrix != Matrix.B ? 4 * WARP : WARP;
    }

    /** Elements in one register. */
    public int perRegister() {
        return Math.max(1, 32 / elementBits);
    }

    /** Registers of one thread. */
    public int registers() {
        return rows * columns / threads() / perRegister();
    }

    /**
     * The row of an element.
     *
     * @param thread from 0, within the warp or warpgroup
     * @param register from 0
     * @param element within the register, from 0
     */
    public int row(int thread, int register, int element) {
        require(thread, register, element);
        int group = thread % WARP / QUAD;
        int first = thread / WARP * WARP_ROWS;
        return switch (matrix) {
            case A -> first + group + (rows == 8 ? 0 : (register & 1) * GROUP_ROWS);
            case B -> along(thread, register, element);
            case ACCUMULATOR -> first + group + (rows == 8 ? 0 : (value(register, element) >> 1 & 1) * GROUP_ROWS);
        };
    }

    /** The column of an element: see {@link #row}. */
    public int column(int thread, int register, int element) {
        require(thread, register, element);
        return switch (matrix) {
            case A -> along(thread, rows == 8 ? register : register >> 1, element);
            case B -> thread % WARP / QUAD;
            case ACCUMULATOR -> {
                int value = value(register, element);
                yield (rows == 8 ? value >> 1 : value >> 2) * 8 + thread % QUAD * 2 + (value & 1);
            }
        };
    }

    private int value(int register, int element) {
        return register * perRegister() + element;
    }

    private int along(int thread, int step, int element) {
        return (step * QUAD + thread % QUAD) * perRegister() + element;
    }

    /** The thread that holds an element. */
    public int thread(int row, int column) {
        requireWithin(row, column);
        int group = matrix == Matrix.B ? column : row % GROUP_ROWS;
        int warp = matrix == Matrix.B ? 0 : row / WARP_ROWS;
        int inQuad = switch (matrix) {
            case A -> column / perRegister() % QUAD;
            case B -> row / perRegister() % QUAD;
            case ACCUMULATOR -> column % 8 / 2;
        };
        return warp * WARP + group * QUAD + inQuad;
    }

    /** The register of that thread. */
    public int register(int row, int column) {
        requireWithin(row, column);
        int lower = row % WARP_ROWS / GROUP_ROWS;
        return switch (matrix) {
            case A -> {
                int step = column / (QUAD * perRegister());
                yield rows == 8 ? step : step * 2 + lower;
            }
            case B -> row / (QUAD * perRegister());
            case ACCUMULATOR -> {
                int pairs = column / 8 * (rows == 8 ? 1 : 2) + lower;
                yield (pairs * 2 + column % 2) / perRegister();
            }
        };
    }

    /** The place in that register, from its lowest bits. */
    public int element(int row, int column) {
        requireWithin(row, column);
        return (matrix == Matrix.B ? row : column) % perRegister();
    }

    private void require(int thread, int register, int element) {
        if (thread < 0 || thread >= threads() || register < 0 || register >= registers() || element < 0
                || element >= perRegister()) {
            throw new IllegalArgumentException("thread " + thread + ", register " + register + ", element " + element
                    + " must be below " + threads() + ", " + registers() + " and " + perRegister());
        }
    }

    private void requireWithin(int row, int column) {
        if (row < 0 || row >= rows || column < 0 || column >= columns) {
            throw new IllegalArgumentException("row " + row + ", column " + column + " is outside of " + rows + " x "
                    + columns);
        }
    }
}
