package dev.tilewright.tile.lower.packed;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A right factor whose elements are small integers out of bytes, less a number: all of a byte, or its low or its high 4
 * bits. What is computed of a byte is found out by computing it of all 256.
 *
 * @param load of the bytes, one of whose rows is a column of the factor
 * @param type of the elements, f16 or bf16
 * @param shift where a byte's number begins: 0 or 4
 * @param bits of the number: 4 or 8
 * @param less what is taken away from the number; of signed bytes 128 of the byte with its sign bit turned over
 * @param tiles all that it is made of, itself among them
 */
record PackedFactor(TileNode.Load load, ValueType type, int shift, int bits, int less, List<Tile> tiles) {
    private static final int NIBBLE = 4;
    private static final int BYTES = 256;
    /** Above a byte, bf16's 128, to which the byte's low 7 bits are added. */
    private static final int BF16_128 = 0x43;
    /** Above a byte, f16's 1,024, to which the byte is added. */
    private static final int F16_1024 = 0x64;
    private static final int F16_OFFSET = 1024;
    private static final int SIGNS = 0x80808080;
    /** Of bytes in the low halves of a pair. */
    private static final int SIGN_OF_PAIR = 0x00800080;
    private static final int LOW_OF_PAIR = 0x007F007F;
    /**
     * Bytes 0 and 1, and 2 and 3, of another word, each with one of this above it, which is a constant: the compiler
     * then has it in a register, and not the selector, which it would move there each time.
     */
    private static final int FIRST_PAIR = 0x0504;
    private static final int SECOND_PAIR = 0x0706;
    /** Up to this the difference of a number and 128 with an offset is exact in bf16. */
    private static final int MOST_LESS = 128;

    /** Nothing where the factor is none. */
    static Optional<PackedFactor> of(Tile factor) {
        List<Tile> tiles = new ArrayList<>(List.of(factor));
        boolean exchanged = false;
        List<TileNode.Map> maps = new ArrayList<>();
        Tile tile = factor;
        while (!(tile.node() instanceof TileNode.Load)) {
            switch (tile.node()) {
                case TileNode.Transpose(Tile of, List<Integer> _) -> {
                    exchanged = !exchanged;
                    tile = of;
                }
                case TileNode.Map map when map.inputs().size() == 1 -> {
                    maps.addFirst(map);
                    tile = map.inputs().getFirst();
                }
                default -> {
                    return Optional.empty();
                }
            }
            tiles.add(tile);
        }
        TileNode.Load load = (TileNode.Load) tile.node();
        ValueType from = load.tensor().type();
        ValueType to = factor.type();
        if (!exchanged || from != ValueType.U8 && from != ValueType.I8
                || to != ValueType.BF16 && to != ValueType.F16) {
            return Optional.empty();
        }
        long[] words = new long[BYTES];
        for (int i = 0; i < BYTES; i++) {
            OptionalLong word = OptionalLong.of(from.word(i));
            for (TileNode.Map map : maps) {
                word = word.isEmpty() ? word : word(map.value(), map.parameters().getFirst().get(), word.getAsLong());
            }
            if (word.isEmpty()) {
                return Optional.empty();
            }
            words[i] = to.word(word.getAsLong());
        }
        return found(load, to, words, tiles);
    }

    private static Optional<PackedFactor> found(TileNode.Load load, ValueType type, long[] words, List<Tile> tiles) {
        boolean signed = load.tensor().type() == ValueType.I8;
        for (int bits = NIBBLE; bits <= Byte.SIZE; bits += NIBBLE) {
            for (int shift = 0; shift + bits <= Byte.SIZE; shift += NIBBLE) {
                for (int less = -MOST_LESS; less <= MOST_LESS; less++) {
                    PackedFactor factor = new PackedFactor(load, type, shift, bits, less, tiles);
                    if ((bits == Byte.SIZE) == signed && factor.is(words)) {
                        return Optional.of(factor);
                    }
                }
            }
        }
        return Optional.empty();
    }

    private boolean is(long... words) {
        for (int i = 0; i < BYTES; i++) {
            int turned = bits == Byte.SIZE ? i ^ 1 << Byte.SIZE - 1 : i;
            if (words[i] != ValueMath.constant(type, (turned >> shift & (1 << bits) - 1) - less)) {
                return false;
            }
        }
        return true;
    }

    /** What a function of one element is worth; nothing where more than the element decides. */
    private static OptionalLong word(Value value, Value parameter, long element) {
        return switch (value) {
            case Value.Const c -> OptionalLong.of(c.word());
            case Value.Element _ when value.equals(parameter) -> OptionalLong.of(element);
            case Value.Compound compound -> {
                long[] parts = new long[compound.parts().size()];
                for (int i = 0; i < parts.length; i++) {
                    OptionalLong part = word(compound.parts().get(i), parameter, element);
                    if (part.isEmpty()) {
                        yield part;
                    }
                    parts[i] = part.getAsLong();
                }
                yield OptionalLong.of(compound.word(parts));
            }
            default -> OptionalLong.empty();
        };
    }

    /**
     * Two pairs of elements, of the numbers of four bytes.
     *
     * @param word the bytes
     * @param pass which of a byte's numbers: 1 of the high 4 bits
     */
    List<Value> pairs(Body body, Value word, int pass) {
        int magic = type == ValueType.BF16 ? BF16_128 : F16_1024;
        Value high = Value.u32(magic << Byte.SIZE | magic);
        if (bits == NIBBLE) {
            Value shifted = pass == 0 ? word : word.shiftRight(NIBBLE);
            Value numbers = body.let("numbers", shifted.and(Value.u32(0x0F0F0F0F)));
            Value less = pair((type == ValueType.BF16 ? MOST_LESS : F16_OFFSET) + this.less);
            return List.of(high.pickBytes(numbers, FIRST_PAIR).pairwise(BinaryOp.SUB, less, type),
                    high.pickBytes(numbers, SECOND_PAIR).pairwise(BinaryOp.SUB, less, type));
        }
        if (type == ValueType.F16) {
            Value numbers = body.let("numbers", word.xor(Value.u32(SIGNS)));
            Value less = pair(F16_OFFSET + this.less);
            return List.of(high.pickBytes(numbers, FIRST_PAIR).pairwise(BinaryOp.SUB, less, type),
                    high.pickBytes(numbers, SECOND_PAIR).pairwise(BinaryOp.SUB, less, type));
        }
        return List.of(signed(body, high.pickBytes(word, FIRST_PAIR)), signed(body, high.pickBytes(word, SECOND_PAIR)));
    }

    /**
     * Two signed bytes, of bf16.
     *
     * @param magic both, below bf16's 128
     */
    private Value signed(Body body, Value magic) {
        Value pair = body.let("pair", magic);
        // 128 + the low 7 bits, less 128 or, where the sign is set, 256.
        return pair.and(Value.u32(~SIGN_OF_PAIR)).pairwise(BinaryOp.SUB, pair.and(Value.u32(~LOW_OF_PAIR)), type);
    }

    private Value pair(int number) {
        long half = ValueMath.constant(type, number);
        return Value.u32((int) (half << Short.SIZE | half));
    }
}
