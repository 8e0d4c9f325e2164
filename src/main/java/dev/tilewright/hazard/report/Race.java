package dev.tilewright.hazard.report;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.async.CopyCompletion.Kind;
import dev.tilewright.hazard.shadow.ByteRange;
import dev.tilewright.hazard.shadow.ShadowAccess;
import java.util.function.Supplier;

/** Two accesses to the same bytes that nothing orders. @param bytes the first of them that both touch, of one size */
public record Race(ShadowAccess before, ShadowAccess now, ByteRange bytes) {

    /** This race with the later access as the one that should have waited. */
    public Race reversed() {
        return new Race(now, before, bytes);
    }

    /** The earlier access's step. */
    int earlier() {
        return before.step();
    }

    /** The later access's step. */
    int later() {
        return now.step();
    }

    /** Whether blocks touch memory that no cluster's barrier orders. */
    boolean isOfBlocks() {
        return before.thread().block() != now.thread().block() && !bytes.shared();
    }

    /** Whether the later access is a copy that writes. */
    boolean overwrites() {
        return now.writes() && now.completion() != null;
    }

    /** What came before, which is not done at once. */
    String noun() {
        return before.completion().kind() == Kind.WGMMA_GROUP ? "product" : "copy";
    }

    /** A mistake of the later access's step. */
    RaceVerdict is(HazardCode code, String wanted, Supplier<String> fix) {
        return new RaceVerdict(this, code, now.step(), now.thread().block(), wanted, fix, null, null);
    }

    RaceVerdict is(HazardCode code, String wanted, String fix) {
        return is(code, wanted, () -> fix);
    }
}
