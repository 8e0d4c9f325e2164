package dev.tilewright.program.value;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Base64;

/**
 * 2 to the power of numbers with 12 fraction bits, with the bits of {@code ex2.approx.ftz.f32} on Hopper. What an H200
 * leaves of all of them from -126 to 128 was measured, and is by each run of its tests: at most 2 last places from the
 * nearest float; how many depends on the fraction and on whether the number is below 0, and on nothing else. Of numbers
 * with more bits that is not so. Therefore they are given as their sum with {@value #OFFSET}, which the addition that
 * makes it has rounded to 12 bits. Elsewhere a polynomial of the fraction comes near, and a table has the rest.
 */
public final class FixedPowers {
    /** The number that is added: floats from 2,048 to 4,096 have 12 fraction bits. */
    public static final int OFFSET = 3072;
    /** The excess of {@link #places} for numbers below 0. */
    public static final int LESS_BELOW_0 = 2;
    private static final int FRACTIONS = 4096;
    private static final int IN_A_WORD = 16;
    private static final int EXPONENT = 23;
    private static final int LEAST = -126;
    private static final int BEYOND = 128;
    private static final String TEXT =
            "VppaZqpaqqaqqqZqqWqpqqplZVWaZZVValqZmZlqqqppqmmWqmlWVpqqqqqaWlamqVZWpVlWpalWqqlWqqqmqaqmqVpWqama"
            + "VlZWVlaWqqqpZZqplmqqlqqqaqqqmqVqmmVVlppaZqWapmpZmVlZqlqmqampaqqpqqpqqqWqZWWpaqmmpqZVpampaZZVaZll"
            + "mpqaVpmmpllmqWWWWWqZZVVWZVlZqVZWVqqWpaplZammqqapqVVmZpaZmWZZplqWqpaVamWZpqZaVqqpmWqmqaqmqqppapqq"
            + "mqqaqamVlVWpmqZZVpaVVVZlWaWpVWqZmaaqVmmmZZpamZlWqqqqqqqmqVlqlVZZqZppqmWpppmqpmplWaWplVVWpVZlpmZl"
            + "pVZllmVmmamqmaVmWappamalpqmVVVZZqVWaqqqqaaqaVpmVlWWVVmVqmmaqqqaqWqmqlZpmVpWVWpmplmqpqmZqZVlplWWl"
            + "ZpaqqqqqqmWlVWqqmZmqqqaqqqqqWWpqVllVamVZVmplqZaZqaapZmapaWqZWaqqaqqmqqqalZpVlVWlVmpVWZaVWqmVZVlW"
            + "mVqplamqqmqpqqqqqplWlWlmlVWVlVaWmqZZmqapapaWlVmplZlZaWWmlaWqZWVZqpqmWVVVVpVWVWWVVVWVWalWZmZmZqaW"
            + "mmqWmaZpmVaVlVZqpZaZpmmqppmpWqpZqZqqqapqqqmqqqqqWqlmVamqVqlZlqVWZqZpmlVqVVlWmZWmqpqplaapqZqlWWqm"
            + "lpVWWlVqpZVlZmVmlVlpmlmVqlVVVVVVmlZqWWamlpmpZalVVWZVVVVlZVZZqWWplaZVplVZlZlpalplappVValVmVVVmaZV"
            + "ZWpZallqWWpllZZVVVVZVVlZlZVmZZmZZqpmqlaamaWWpZapaaVppZWmmWZlqWVqWmmmqqpqWWaZVamValaWpqqqqqqaaapq"
            + "VVVVVVVlZlVlmWWWpamZmlZWVVVVVVWpqmpZmpalalWZVqVpVZpWZZWpZWWmaWllaaaVlaVZWVVllWVpWpZmqlmqVVFVVmVZ"
            + "lVValalllVmalVmqlpVlqaqqZqapZqWplqaZmVlmqapqqqppZWWqVVpWlWVVVmlVVVZmZVVVVValpmWWqqWpaqqVallqZqla"
            + "VlVZWWVlWWVqZVWVWqVaVVVqpmWVVqZZlWapVZVWVVWoZlVVVVVVWVRWVVVaqZaZZZlZWZZVYZRZVVVVaVUVVWlpmaWqmZZm"
            + "qaWqapZVVRlVlVVZVVZFVVWmZZZqaVWlpZlqaamalWVqmlaZZVpVRpVWWVVVWVVVVWhVSaVVVVVVVVVVVFZVVFVWaVWVVVWV"
            + "VVmVVVVVVZZVpVVVWWppaQABARFUAVRRUVFRFVQFEFQQEAAABAAAABAFBAQEFVVBFEEUAEUUAAEBAQEBAQEBUAABAFAAAVAE"
            + "AVQEAVQFUVQFUVQBAVREAQEBAQEBAUFVVBBBVEAVUUAVFRUVFUVAFQUQAEFFBQEQRFEFBEAABBQBUVRUVBRBFFVVFRVAFRAA"
            + "VQVQEQBRAFAERBQAABQEAEVFRAFAUVEAEFQQQQQVRBAAARAEBAQBAABVQEAVEBBQURVRREQAARABAEABBFABAVVAQBUQQFFR"
            + "AQFBVEQVEVQVUUVFFBVFVUVRQVRUAAAAVERRAABBAAABAARQRAAVREURFQEUQRBFBUAEAVVRVVVVUVQEFUABAARBFBUQUFFE"
            + "VUEQEARQVEAAAVABEEEQEFABEEEQEURUVURQEQRVFBURUFFUAAABBFQARVVVVRRVRQEEQEAQQAEQFUURVVVRVQVURUBFEQFA"
            + "QAVEVEEVVFUQFQAEFEAQUBFBVVVVVVUQUAAVVUREVVVRVVVVVQQVFQEEABUQBAEVEFVBRFRRVBERVBQVRARVVRVVUVVVVUBF"
            + "AEAAUAEVEARBQBVVQBAEAUQFVUBUVVVVVFVVVVVFEUAUEUBEQEQBUUVRBEVRVBVFQUAFVEBFRBRQUUBUVVAQVFVFUQQABAFE"
            + "AQAQUAAQUARUARURERVRRUVVQVRRFEQBQEQBFVBFRFEUVVFFVUVVBVRFVVRVWVVVlWVVVRVVFQRVVUVUBUFUARVRFEUEFQQE"
            + "AVRAUVVFVFBVVVVVUEQVUVVFAUVRFVBEUBERFUEFFEVEQFVABAAQAUUBVQQVUVVFVFVVEAQVAEAEEFBBFFRVVUBRAFFABEFF"
            + "FFVFUBVFRABUEFQABERREBRVVFVVVVVVEEBRQEAABARERFFAEVVVVBVVEVUBRVRVQVBVVRRQFFBAUUQRFVVVVRVVUVVVVQQV"
            + "VBBURRVRVVFVVVWVVVVZVQARRBABUBUAFVRVQVVVVUUBEUEFFVQQVVVVVUVVVVUEREFQFARFRRVAVVFRUVQVVRRRUFRURFUQ"
            + "UUVVFVVVFVUUVQAQUUURBVEAFUFVUUFVRVRVVUVFVVVVVVVVZFVUVFVWVVRVVZVZWpZZWVFlVRRWUVEQUBUVUAAVEVUURFBF"
            + "ZVZVVVVVVVlZlVZVWVVVVRFBBRVVUVVQVVEERUVRVQAVWVVVVUVVWVVVWFVVRQRVVVEEBQAUAFVEFVQFBVVVVRVVRRVRUFBU"
            + "BVBQFRREEBBVVVVVVUVVVVhVZlVVUVAEAVQBVVBFBBREUVVBVRVEUFVUVVVVVUVVVVlVVWVVRUVVRVVFUAQRQEEURARVUVUR"
            + "FERVBVABVVRBVVVUhFBQRBFFVVRBRERRBVVQVRlWaVU=";
    private static final float[] FACTORS = {0x1.c54640p-13f, 0x1.46d326p-10f, 0x1.3d0c40p-7f, 0x1.c688f0p-5f,
        0x1.ebfd5ap-3f, 0x1.62e42ap-1f, 1};
    private static final int[] PLACES = read();
    private static final float[] POWERS = powers();

    private FixedPowers() { }

    private static int[] read() {
        int[] words = new int[2 * FRACTIONS / IN_A_WORD];
        ByteBuffer.wrap(Base64.getDecoder().decode(TEXT)).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(words);
        return words;
    }

    private static float[] powers() {
        float[] powers = new float[2 * FRACTIONS];
        for (int i = 0; i < powers.length; i++) {
            float fraction = (float) (i % FRACTIONS) / FRACTIONS;
            float power = 0;
            for (float factor : FACTORS) {
                power = Math.fma(power, fraction, factor);
            }
            int place = (PLACES[i / IN_A_WORD] >>> i % IN_A_WORD * 2 & 3) - (i < FRACTIONS ? LESS_BELOW_0 : 0);
            powers[i] = Float.intBitsToFloat(Float.floatToRawIntBits(power) + place);
        }
        return powers;
    }

    /** The polynomial of a fraction, by fused multiply-adds, the highest power's factor first. */
    public static float[] factors() {
        return FACTORS.clone();
    }

    /**
     * Last places that a power has more than the polynomial, of numbers below 0 {@value #LESS_BELOW_0} less: 2 bits for
     * each of the 4,096 fractions, 16 in a word and the lowest bits first, of numbers below 0 and then of others.
     */
    public static int[] places() {
        return PLACES.clone();
    }

    /** 2 to the power of a sum less {@value #OFFSET}: 0 where that is less than 2^-126, infinity from 2^128 on. */
    public static float of(float sum) {
        float x = sum - OFFSET;
        if (!(x >= LEAST)) {
            return Float.isNaN(x) ? Float.NaN : 0;
        }
        if (x >= BEYOND) {
            return Float.POSITIVE_INFINITY;
        }
        int fixed = (int) (x * FRACTIONS);
        int whole = Math.floorDiv(fixed, FRACTIONS);
        float power = POWERS[fixed - whole * FRACTIONS + (x < 0 ? 0 : FRACTIONS)];
        return Float.intBitsToFloat(Float.floatToRawIntBits(power) + (whole << EXPONENT));
    }
}
