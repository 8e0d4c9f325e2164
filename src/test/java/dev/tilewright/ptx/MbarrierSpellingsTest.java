package dev.tilewright.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.ptx.mbarrier.MbarrierInit;
import dev.tilewright.ptx.mbarrier.MbarrierInstruction;
import dev.tilewright.ptx.mbarrier.MbarrierTestWaitParity;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** An mbarrier in the block's own shared memory is spelled as the compiler and the target take it. */
class MbarrierSpellingsTest {
    private static List<PtxInstruction> forms() {
        return Catalogue.forms().filter(MbarrierInstruction.class::isInstance).toList();
    }

    @Test
    void whatIsSpelledSharedInOldVersionsIsOneWithTheNewSpelling() {
        int both = 0;
        for (PtxInstruction form : forms()) {
            Set<String> opcodes = form.spellings().stream().map(PtxInstruction::opcode).collect(Collectors.toSet());
            assertTrue(opcodes.contains(form.opcode()), form.opcode());
            if (form.opcode().contains(".shared::cta")) {
                assertEquals(Set.of(form.opcode(), form.opcode().replace(".shared::cta", ".shared")), opcodes);
                both++;
            }
            form.spellings().forEach(s -> assertEquals(form.operands().stream().map(Operand::name).toList(),
                    s.operands().stream().map(Operand::name).toList()));
        }
        assertTrue(both > 50, "forms in both spellings: " + both);
    }

    @Test
    void everyCompilerThatHasABarrierGetsOne() {
        assertEquals("mbarrier.init.shared.b64", new MbarrierInit().spelledFor(PtxVersion.of(7, 0), Target.SM_80)
                .opcode());
        assertEquals("mbarrier.init.shared::cta.b64", new MbarrierInit().spelledFor(PtxVersion.of(7, 8), Target.SM_80)
                .opcode());
        assertEquals("mbarrier.test_wait.parity.shared.b64",
                new MbarrierTestWaitParity().spelledFor(PtxVersion.of(7, 1), Target.SM_80).opcode());
    }
}
