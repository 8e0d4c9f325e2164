package dev.tilewright.hazard;

import static dev.tilewright.hazard.SmallKernels.BUFFER;
import static dev.tilewright.hazard.SmallKernels.RESULT;
import static dev.tilewright.hazard.SmallKernels.T;
import static dev.tilewright.hazard.SmallKernels.fill;
import static dev.tilewright.hazard.SmallKernels.show;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.copy.StBulk;
import dev.tilewright.ptx.memory.AddressSpace;
import dev.tilewright.ptx.memory.Cvta;
import dev.tilewright.ptx.memory.St;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the check says of steps that it cannot follow: that they are not analysed, and nothing worse. */
class NotAnalysedTest {

    private static void clear(Body body) {
        body.purpose("one thread clears").when(T.isEqualTo(0), one ->
                one.purpose("clear").issue(new StBulk().withWeak(), Input.of(BUFFER.at(0)), Input.of(256L)));
    }

    @Test
    void aFormOfSm100IsNamed() {
        HazardReport report = SmallKernels.one(body -> {
            clear(body);
            body.purpose("it is cleared").syncThreads();
            show(body, T.times(4));
        });
        assertTrue(report.isClean() && !report.isAnalysed() && !report.complete(), report::toString);
        NotAnalysed what = report.notAnalysed().getFirst();
        assertEquals("st.bulk.weak.shared::cta", what.form());
        assertEquals(Optional.of(Target.SM_100), what.needs());
        assertEquals("clear", what.location().purpose());
        assertEquals(List.of("not analysed: st.bulk.weak.shared::cta (needs sm_100), step 2 ('clear', #)",
                "the run ends there: there may be more to find"),
                report.lines().stream().map(l -> l.replaceAll("CUDA line \\d+, \\w+\\.java:\\d+", "#")).toList());
        assertTrue(report.toString().startsWith("kernel 'small': no hazards as far as analysed in 1 block, "),
                report::toString);
    }

    @Test
    void whatWasFoundBeforeStays() {
        HazardReport report = SmallKernels.one(body -> {
            fill(body);
            show(body, Expr.of(0));
            body.purpose("all come here").syncThreads();
            clear(body);
        });
        assertEquals(Set.of(HazardCode.MISSING_BARRIER), report.codes());
        assertFalse(report.isAnalysed());
    }

    @Test
    void aBranchThatIsNotTakenIsOfNoMatter() {
        HazardReport report = SmallKernels.one(body -> {
            fill(body);
            body.purpose("all have filled").syncThreads();
            body.purpose("in more blocks than there are").when(Builtin.BLOCK.atLeast(1),
                    SmallKernelsOfNewerGpus::clearAndUse);
            show(body, T.times(4));
        });
        assertTrue(report.isClean() && report.isAnalysed() && report.complete(), report::toString);
    }

    /** Its mistakes are found all the same. */
    @Test
    void theRestOfSuchAKernelIsChecked() {
        HazardReport report = SmallKernels.one(body -> {
            fill(body);
            body.purpose("in more blocks than there are").when(Builtin.BLOCK.atLeast(1),
                    SmallKernelsOfNewerGpus::clearAndUse);
            show(body, Expr.of(0));
        });
        assertEquals(Set.of(HazardCode.MISSING_BARRIER), report.codes());
        assertTrue(report.isAnalysed(), report::toString);
    }

    @Test
    void anotherFormThatIsNotModelledSaysWhy() {
        HazardReport report = SmallKernels.one(body -> body.purpose("where it is").issue("at",
                Cvta.to(AddressSpace.LOCAL), Input.of(0L)));
        assertTrue(report.isClean(), report::toString);
        assertTrue(report.lines().getFirst()
                .matches("not analysed: cvta.to.local.u64, step 1 .*: cvta.to.local.u64: the reference "
                + "has no addresses in that space"), report::toString);
    }

    /** Results of a form that is not run may be used behind it. */
    private static final class SmallKernelsOfNewerGpus {
        static void clearAndUse(Body body) {
            clear(body);
            Expr at = body.purpose("where it is").issue("at", Cvta.to(AddressSpace.LOCAL), Input.of(0L));
            body.purpose("show it").issue(St.relaxed(Scope.GPU, Space.GLOBAL, DataType.U64),
                    Input.of(new Address.Global(RESULT, 0)), Input.of(at));
        }
    }
}
