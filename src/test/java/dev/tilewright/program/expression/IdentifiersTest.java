package dev.tilewright.program.expression;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.TileProgram;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names stand unchanged in generated code, so what is no name there is refused wherever one is given. */
class IdentifiersTest {

    /** Everything that has a name. */
    static Stream<Function<String, Object>> named() {
        return Stream.of(
                name -> new Parameter.Pointer(name, true),
                name -> new Parameter.Int(name, IntType.S32),
                name -> new Parameter.Scalar(name, ElementType.F32),
                name -> new Parameter.TensorMap(name, 1),
                name -> new SharedRegion.Buffer(name, 1, 1),
                name -> new SharedRegion.Barriers(name, 1),
                name -> new Expr.Var(name, IntType.S32),
                name -> new Fragment(name, ElementType.U8, 1),
                name -> new TileProgram(name, "for a test", 1, List.of(), new SharedLayout(List.of()), List.of()));
    }

    @ParameterizedTest
    @MethodSource("named")
    void everythingNamedIsChecked(Function<String, Object> make) {
        assertDoesNotThrow(() -> make.apply("tile_2"));
        assertEquals("'Tile' cannot be a name: use a lower-case letter, then up to 62 of them, digits and _, and no "
                + "C++ keyword", assertThrows(IllegalArgumentException.class, () -> make.apply("Tile")).getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "_x", "2d", "a-b", "a b", "größe", "aN", "x;y", "int", "while", "xor", "nullptr",
            "true",
        "namespace", "static_cast", "char8_t", "requires", "asm"})
    void noNames(String name) {
        assertEquals("'" + name + "' cannot be a name: use a lower-case letter, then up to 62 of them, digits and _, "
                + "and no C++ keyword", assertThrows(IllegalArgumentException.class, () -> Identifiers.require(name))
                .getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "tile_2", "ints", "x__", "k", "max", "shared_memory", "mbarrier_wait_parity"})
    void names(String name) {
        assertDoesNotThrow(() -> Identifiers.require(name));
    }

    @Test
    void namesHaveUpTo63Characters() {
        assertDoesNotThrow(() -> Identifiers.require("a".repeat(63)));
        assertThrows(IllegalArgumentException.class, () -> Identifiers.require("a".repeat(64)));
    }
}
