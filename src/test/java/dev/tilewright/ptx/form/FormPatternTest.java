package dev.tilewright.ptx.form;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.ptx.Catalogue;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.copy.BulkWaitGroup;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Lines that stand for several forms: read back as grammars, they are exactly those forms. */
class FormPatternTest {

    static Stream<Class<? extends PtxInstruction>> instructions() {
        return Catalogue.instructions().stream();
    }

    @ParameterizedTest
    @OrdinaryShare(3)
    @MethodSource("instructions")
    void patternsReadBackAreTheForms(Class<? extends PtxInstruction> instruction) {
        List<? extends PtxInstruction> forms = Catalogue.forms(instruction).toList();
        Set<String> expanded = new HashSet<>();
        for (FormPattern p : FormPattern.of(forms)) {
            List<String> flags = expand(p.flags());
            List<String> opcodes = expand(p.opcode()).stream()
                    .flatMap(o -> flags.stream().map(f -> o + " " + p.operands() + f)).toList();
            assertEquals(p.forms(), opcodes.size(), p::opcode);
            opcodes.forEach(opcode -> expanded.add(opcode + " " + p.gate()));
        }
        assertEquals(forms.stream().map(f -> f.opcode() + " " + f.listing() + " " + f.gate())
                .collect(Collectors.toSet()), expanded);
    }

    private static List<String> expand(String pattern) {
        int open = Math.min(at(pattern, '{'), at(pattern, '['));
        if (open == pattern.length()) {
            return List.of(pattern);
        }
        boolean optional = pattern.charAt(open) == '[';
        int close = pattern.indexOf(optional ? ']' : '}', open);
        Stream<String> choices = Stream.of(pattern.substring(open + 1, close).split("\\|"));
        List<String> rest = expand(pattern.substring(close + 1));
        return Stream.concat(optional ? Stream.of("") : Stream.empty(), choices)
                .flatMap(c -> rest.stream().map(r -> pattern.substring(0, open) + c + r)).toList();
    }

    private static int at(String text, char c) {
        int at = text.indexOf(c);
        return at < 0 ? text.length() : at;
    }

    @Test
    void howTheyAreWritten() {
        assertEquals(List.of("cp.async.bulk.wait_group[.read] n PTX 8.0 and sm_90 or later 2"),
                FormPattern.of(Catalogue.forms(BulkWaitGroup.class).toList()).stream()
                        .map(p -> p.opcode() + " " + p.operands() + " " + p.gate() + " " + p.forms()).toList());
        assertEquals(List.of("mapa[.shared::cluster].u32", "mapa[.shared::cluster].u64"),
                FormPattern.of(Catalogue.forms(Mapa.class).toList()).stream().map(FormPattern::opcode)
                .flatMap(o -> o.contains("{")
                        ? Stream.of(o.replace("{.u32|.u64}", ".u32"), o.replace("{.u32|.u64}", ".u64")) : Stream.of(o))
                        .toList());
    }
}
