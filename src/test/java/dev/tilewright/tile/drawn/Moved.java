package dev.tilewright.tile.drawn;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Span;

/**
 * How far places are moved along a dimension: as a rule not at all, else by a number, or by what the launch's extent
 * says. Of some of these it shows that they are multiples of 16 bytes, and others are so in some launches alone.
 */
public final class Moved {
    private enum Kind { NOT, NUMBER, HALF, REST, BLOCKS, BEFORE_LAST, LEAST }

    private final Kind kind;
    private final int block;
    private final int number;

    private Moved(Kind kind, int block, int number) {
        this.kind = kind;
        this.block = block;
        this.number = number;
    }

    /** One in some, by the extent. @param block elements of a span */
    static Moved byExtent(Draw draw, int block, int in) {
        boolean moved = draw.once(in);
        Kind kind = draw.any(Kind.HALF, Kind.REST, Kind.BLOCKS, Kind.BEFORE_LAST, Kind.LEAST);
        return new Moved(moved ? kind : Kind.NOT, block, 0);
    }

    /** One in five, by a number or by the extent. @param seed what else it draws is as without this */
    public static Moved of(long seed, int block) {
        Draw draw = new Draw(seed ^ 0x303ED);
        boolean byNumber = draw.once(10);
        int number = draw.any(8, -8, 16, draw.between(-20, 20));
        return byNumber ? new Moved(Kind.NUMBER, block, number) : byExtent(draw, block, 9);
    }

    /** One in four, before or beyond: by 16 bytes or more, or along rows by any number. @param seed as there */
    static Moved ofBoxes(long seed, int block, boolean rows) {
        Draw draw = new Draw(seed ^ (rows ? 0xB0CE5D : 0xB0CE5A));
        boolean moved = draw.once(4);
        return new Moved(moved ? Kind.NUMBER : Kind.NOT, block, rows ? draw.any(-1, -8, -block, 1, block)
                : draw.any(-8, -16, -block, 8, block));
    }

    /** Whether places may be others. */
    public boolean isMoved() {
        return kind != Kind.NOT;
    }

    /** Whether they are moved by a multiple of 16 bytes, whatever the extent is. @param bytes of an element */
    boolean isAligned(int bytes) {
        return switch (kind) {
            case NOT -> true;
            case NUMBER -> number * bytes % 16 == 0;
            case BLOCKS -> block * bytes % 16 == 0;
            default -> false;
        };
    }

    /** The places. @param dim along which they are */
    public Span of(Span span, Dim dim) {
        Expr extent = dim.value();
        Expr long16 = Expr.of(16L);
        return switch (kind) {
            case NOT -> span;
            case NUMBER -> span.plus(number);
            case HALF -> span.plus(extent.dividedBy(Expr.of(2L)));
            case REST -> span.plus(extent.modulo(Expr.of(7L)));
            case BLOCKS -> span.plus(extent.dividedBy(Expr.of(2L * block)).times(Expr.of((long) block)));
            case BEFORE_LAST -> span.plus(extent.minus(Expr.of((long) block)));
            case LEAST -> span.plus(extent.min(long16).minus(long16));
        };
    }
}
