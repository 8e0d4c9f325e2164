package dev.tilewright.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.Thorough;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is kept of a form is what its record says, whatever was asked before, by whichever thread. */
class KnownFormTest {

    @Test
    void everyFormSaysWhatItsRecordDoes() {
        List<PtxInstruction> forms = new ArrayList<>(Catalogue.forms().filter(Thorough.share(4)).toList());
        Collections.shuffle(forms, new Random(25));
        List<PtxInstruction> few = forms.subList(0, 500);
        for (List<PtxInstruction> some : List.of(forms, few, few)) {
            some.parallelStream().forEach(f -> {
                Form said = f.form();
                assertEquals(List.of(said.opcode(), said.operands(), said.operandText(), said.listing(), said.gate(),
                        said.effects()), List.of(f.opcode(), f.operands(), f.operandText(), f.listing(), f.gate(),
                        f.effects()), f::toString);
                assertEquals(said.operands().stream().filter(o -> o.kind().isOutput()).toList(), f.results());
                assertEquals(said.operands().stream().filter(o -> !o.kind().isOutput()).toList(), f.inputs());
            });
        }
    }
}
