package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Loops within each other that threads leave, or whose turns they cut short, each where its own sum says so. */
@OnEveryStage
record LoopsGpuTest(Stage stage) {
    private static final int THREADS = 64;
    private static final Parameter.Pointer SUMS = Parameter.Pointer.writing("sums", ValueType.I32);

    /** How a list of steps ends in Java. */
    private enum End { WHOLE, CONTINUES, BREAKS }

    /** One step, of a program and of Java. */
    private interface Piece {
        void add(Body body, Register sum);

        End run(int[] sum);
    }

    /** {@code sum = 31 * sum + plus}. */
    private record Sum(int plus) implements Piece {
        @Override
        public void add(Body body, Register sum) {
            body.assign(sum, sum.get().times(31).plus(plus));
        }

        @Override
        public End run(int[] sum) {
            sum[0] = 31 * sum[0] + plus;
            return End.WHOLE;
        }
    }

    /** Where the sum's bits in a mask are a number. */
    private record Jump(int mask, int is, boolean leaves) implements Piece {
        @Override
        public void add(Body body, Register sum) {
            body.when(sum.get().toIndex().bitAnd(mask).isEqualTo(is), leaves ? Body::breakLoop : Body::continueLoop);
        }

        @Override
        public End run(int[] sum) {
            return (sum[0] & mask) != is ? End.WHOLE : leaves ? End.BREAKS : End.CONTINUES;
        }
    }

    private enum Kind { COUNTED, UNROLLED, WHILE }

    private record Loop(Kind kind, int turns, List<Piece> pieces) implements Piece {
        @Override
        public void add(Body body, Register sum) {
            switch (kind) {
                case COUNTED -> body.loop("i", turns, (turn, _) -> addAll(turn, sum));
                case UNROLLED -> body.unrolled("u", turns, (turn, _) -> addAll(turn, sum));
                case WHILE -> {
                    Register left = body.variable("left", turns);
                    body.repeatWhile(left.get().toIndex().isNotEqualTo(0), turn -> {
                        turn.assign(left, left.get().minus(1));
                        addAll(turn, sum);
                    });
                }
            }
        }

        void addAll(Body body, Register sum) {
            pieces.forEach(piece -> piece.add(body, sum));
        }

        @Override
        public End run(int[] sum) {
            for (int i = 0; i < turns; i++) {
                for (Piece piece : pieces) {
                    End end = piece.run(sum);
                    if (end == End.BREAKS) {
                        return End.WHOLE;
                    }
                    if (end == End.CONTINUES) {
                        break;
                    }
                }
            }
            return End.WHOLE;
        }

        static Loop draw(Random random, int depth) {
            List<Piece> pieces = Stream.generate(() -> piece(random, depth)).limit(2 + random.nextInt(4)).toList();
            return new Loop(Kind.values()[random.nextInt(3)], 1 + random.nextInt(5), pieces);
        }

        private static Piece piece(Random random, int depth) {
            return switch (random.nextInt(depth == 0 ? 2 : 3)) {
                case 0 -> new Sum(random.nextInt(100));
                case 1 -> new Jump(3, random.nextInt(4), random.nextInt(3) == 0);
                default -> draw(random, depth - 1);
            };
        }
    }

    static LongStream seeds() {
        return LongStream.range(0, 40);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void sumsAreThoseOfJava(long seed) {
        Loop loop = Loop.draw(new Random(seed), 2);
        TileProgram program = new TileProgram("loops", "cuts turns short", THREADS, List.of(SUMS),
                new SharedLayout(List.of()), Body.steps(body -> {
                    Register sum = body.variable("sum", Builtin.THREAD);
                    loop.add(body, sum);
                    body.store(SUMS, Builtin.THREAD, sum.get());
                }));
        int[] expected = IntStream.range(0, THREADS).map(thread -> {
            int[] sum = {thread};
            loop.run(sum);
            return sum[0];
        }).toArray();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment sums = arena.allocate(4L * THREADS, 64);
            stage.device(Target.SM_80).run(Launch.of(program, 1, Map.of(SUMS, new Argument.Buffer(0))), List.of(sums));
            assertArrayEquals(expected, sums.toArray(ValueLayout.JAVA_INT));
        }
    }
}
