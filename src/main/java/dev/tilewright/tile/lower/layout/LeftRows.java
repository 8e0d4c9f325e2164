package dev.tilewright.tile.lower.layout;

import dev.tilewright.layout.MatrixTile;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.Body;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.warp.Ldmatrix;
import dev.tilewright.ptx.warp.MatrixCount;

/**
 * The left factor of a group of four warps in registers, as {@code wgmma} takes it there: of 16 columns four registers,
 * for two rows eight apart, and the same eight columns on. {@code ldmatrix} reads them, 16 rows a warp.
 */
public final class LeftRows {
    /** Bytes of a matrix's row. */
    private static final int CHUNK = 16;
    private static final int DEPTH = 16;
    private static final int MATRICES = 4;

    private LeftRows() {
    }

    /** Registers that a thread has of it. @param columns of 16 bits */
    public static int registers(int columns) {
        return columns / DEPTH * MATRICES;
    }

    /** Reads 64 rows, of 16 bits and K-major. @param tile their first byte */
    public static Register load(Body body, Address.Shared tile, MatrixTile matrix) {
        int pitch = matrix.panelBytes();
        Expr lane = Builtin.THREAD.modulo(Warp.LANES);
        Expr row = body.purpose("the row whose address this thread gives").let("row",
                Builtin.THREAD.modulo(Team.GROUP).dividedBy(Warp.LANES).times(DEPTH).plus(lane.modulo(DEPTH)));
        Expr swizzled = row.dividedBy(Swizzle.B128.span() / pitch).modulo(pitch / CHUNK);
        Expr at = body.purpose("its first chunk, or the one beside it").let("at", row.times(pitch)
                .plus(lane.dividedBy(DEPTH).xor(swizzled).times(CHUNK)));
        Register rows = body.purpose("this thread's part of the rows").registers("rows", ValueType.U32,
                registers(matrix.k()));
        for (int first = 0; first < matrix.k(); first += DEPTH) {
            int bytes = first * matrix.elementBytes();
            Expr place = tile.byteOffset().plus(at.xor(bytes % pitch)).plus(bytes / pitch * matrix.panelStride());
            body.issue(new Ldmatrix(Ldmatrix.Shape.M8N8_B16, MatrixCount.X4), Input.of(rows,
                    registers(first)), Input.of(new Address.Shared(tile.buffer(), place)));
        }
        return rows;
    }
}
