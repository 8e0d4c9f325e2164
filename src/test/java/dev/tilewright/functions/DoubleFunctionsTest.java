package dev.tilewright.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.Thorough;
import dev.tilewright.program.value.ValueType;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * How far functions of f64 are from what they should be, by decimal arithmetic, at random arguments:
 * {@code -Dtilewright.functions.doubles=100000} of each.
 */
class DoubleFunctionsTest {
    private static final int ORDINARY = 2000;
    private static final int BLOCK = 100;
    private static final int COUNT = Integer.getInteger("tilewright.functions.doubles", ORDINARY);
    private static final List<FunctionCases.OfDouble> FUNCTIONS = FunctionCases.F64;
    private static final double[] SPECIAL = {0, Double.MIN_VALUE, Double.MIN_NORMAL, 0.5, 1, 1.5, 2, 3, 0x1p52 - 0.5,
        0x1p53 - 1, 0x1p53, 710, 750, Double.MAX_VALUE, Double.POSITIVE_INFINITY, Double.NaN};

    /** The greatest error of some arguments, and where. */
    private record Worst(double ulps, String at) {
        static final Worst NONE = new Worst(0, "");

        static Worst greater(Worst a, Worst b) {
            return b.ulps > a.ulps ? b : a;
        }
    }

    /** Tries blocks of arguments, each with its own random numbers, on all cores. */
    private static Worst worst(Function<SplittableRandom, Worst> block) {
        return IntStream.range(0, COUNT / BLOCK).filter(b -> COUNT != ORDINARY || Thorough.takes(b, 5)).parallel()
                .mapToObj(b -> block.apply(new SplittableRandom(b)))
                .reduce(Worst.NONE, Worst::greater);
    }

    @ParameterizedTest
    @OrdinaryShare(2)
    @FieldSource("FUNCTIONS")
    void asNearAsDocumented(FunctionCases.OfDouble c) {
        CompiledFunction.OfDouble f = CompiledFunction.compile(c.tree(), CompiledFunction.OfDouble.class);
        report(c.name() + "_f64", c.ulps(), worst(random -> {
            Worst found = Worst.NONE;
            for (int i = 0; i < BLOCK; i++) {
                double x = argument(c, random, i & 3);
                found = Worst.greater(found, new Worst(BigFunctions.ulps(f.apply(x), c.exact().apply(x)),
                        x + ": " + f.apply(x)));
            }
            return found;
        }));
    }

    /** Of the kind, but where the function is neither constant nor infinite. */
    private static double argument(FunctionCases.OfDouble c, SplittableRandom random, int kind) {
        while (true) {
            double x = switch (kind) {
                case 0 -> Double.longBitsToDouble(random.nextLong());
                case 1 -> (random.nextDouble() - 0.5) * 1500;
                case 2 -> (random.nextDouble() - 0.5) * 14;
                default -> (random.nextDouble() - 0.5) * 4;
            };
            x = c.least() > 0 ? Math.abs(x) : x;
            if (x != 0 && x >= c.least() && x <= c.greatest()) {
                return x;
            }
        }
    }

    @Test
    void powers() {
        CompiledFunction.OfDoubles f = CompiledFunction.compile(FunctionCases.pow(ValueType.F64),
                CompiledFunction.OfDoubles.class);
        report("pow_f64", FunctionCases.POW_F64_ULPS, worst(random -> {
            Worst found = Worst.NONE;
            for (int i = 0; i < BLOCK; i++) {
                double x = switch (i % 3) {
                    case 0 -> Double.longBitsToDouble(random.nextLong() & Long.MAX_VALUE);
                    case 1 -> 0.5 + 1.5 * random.nextDouble();
                    default -> 1 + (random.nextInt(4000) - 2000) * 0x1p-52;
                };
                double y = (random.nextDouble() * 2200 - 1100) / (StrictMath.log(x) / StrictMath.log(2));
                if (Double.isFinite(x) && Double.isFinite(y)) {
                    found = Worst.greater(found, new Worst(BigFunctions.ulps(f.apply(x, y), BigFunctions.pow(x, y)),
                            x + ", " + y + ": " + f.apply(x, y)));
                }
            }
            return found;
        }));
    }

    private static void report(String name, double bound, Worst worst) {
        String text = "%-9s %.4f ulp at %s; %,d arguments".formatted(name, worst.ulps, worst.at, COUNT);
        if (COUNT != ORDINARY) {
            System.err.println(text);
        }
        assertTrue(worst.ulps <= bound, text);
    }

    @ParameterizedTest
    @FieldSource("FUNCTIONS")
    void specialArguments(FunctionCases.OfDouble c) {
        CompiledFunction.OfDouble f = CompiledFunction.compile(c.tree(), CompiledFunction.OfDouble.class);
        for (double size : SPECIAL) {
            for (double x : new double[] {size, -size}) {
                assertNear(strict(c.name(), x), f.apply(x), c.name() + " " + x);
            }
        }
    }

    @Test
    void specialPowers() {
        CompiledFunction.OfDoubles f = CompiledFunction.compile(FunctionCases.pow(ValueType.F64),
                CompiledFunction.OfDoubles.class);
        for (double x : SPECIAL) {
            for (double y : SPECIAL) {
                for (int sign = 0; sign < 4; sign++) {
                    double a = (sign & 1) == 0 ? x : -x;
                    double b = (sign & 2) == 0 ? y : -y;
                    assertNear(DoubleFunctions.pow(a, b), f.apply(a, b), "pow " + a + " " + b);
                }
            }
        }
    }

    private static double strict(String name, double x) {
        return switch (name) {
            case "exp" -> StrictMath.exp(x);
            case "log" -> StrictMath.log(x);
            case "tanh" -> StrictMath.tanh(x);
            case "erf" -> Math.abs(x) < 1e-300 ? x * (2 / StrictMath.sqrt(Math.PI)) : DoubleFunctions.erf(x);
            case "sin" -> StrictMath.sin(x);
            case "cos" -> StrictMath.cos(x);
            case "rsqrt" -> 1 / StrictMath.sqrt(x);
            default -> throw new AssertionError(name);
        };
    }

    private static void assertNear(double expected, double actual, String what) {
        if (expected == 0 || Double.isInfinite(expected) || Double.isNaN(expected)) {
            assertEquals(expected, actual, what);
        } else {
            assertEquals(expected, actual, 3 * Math.ulp(expected), what);
        }
    }
}
