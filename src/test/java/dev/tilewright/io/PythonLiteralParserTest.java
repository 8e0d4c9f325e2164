package dev.tilewright.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.text.ParseException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PythonLiteralParserTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "'a'|'a'",
        "\"it's\"|'it's'",
        "'a\\'b\\\\c\\n'|'a'b\\c\\x0a'",
        "'\\q'|'\\q'",
        "True|True",
        "False|False",
        "None|None",
        "0|0",
        "-12|-12",
        "+7|7",
        "34L|34",
        "123456789012345678901234567890|123456789012345678901234567890",
        "()|()",
        "(3)|3",
        "(3,)|(3,)",
        "( 3 , 4 , )|(3, 4)",
        "((1,),'x')|((1,), 'x')",
        "[]|[]",
        "[1, (2, 3),]|[1, (2, 3)]",
        "{}|{}",
        "{'a':1,\"b\" : (),}|{'a': 1, 'b': ()}"
    })
    void reads(String text, String value) throws ParseException {
        assertEquals(value, PythonLiteralParser.parse(" " + text + " \t\n").toString());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "``|0|expected a value, found the end",
        "nan|0|expected a value, found 'n'",
        "Falsehood|0|expected a value, found 'F'",
        "'a|0|a string without its closing '",
        "(1 2)|3|expected ',' or ')', found '2'",
        "(,)|1|expected a value, found ','",
        "[1|2|expected ',' or ']', found the end",
        "{'a' 1}|5|expected ':', found '1'",
        "{'a': 1 'b': 2}|8|expected ',' or '}', found '''",
        "{1: 2}|1|expected a key in quotes, found '1'",
        "{'a': 1, 'a': 2}|9|the key 'a' stands twice",
        "{}x|2|expected nothing more, found 'x'",
        "`{}\u0000`|2|expected nothing more, found '\\x00'",
        "`\u0000`|0|expected a value, found '\\x00'",
        "-|1|expected a digit, found the end",
        "1.5|1|expected nothing more, found '.'"
    })
    void refuses(String text, int offset, String message) {
        ParseException e = assertThrows(ParseException.class, () -> PythonLiteralParser.parse(text));
        assertEquals(message, e.getMessage());
        assertEquals(offset, e.getErrorOffset());
    }

    @Test
    void hasALimitForNestingAndForNumbers() {
        ParseException deep = assertThrows(ParseException.class,
                () -> PythonLiteralParser.parse("(".repeat(100_000)));
        assertEquals("more than 32 levels of brackets", deep.getMessage());
        ParseException wide = assertThrows(ParseException.class,
                () -> PythonLiteralParser.parse("9".repeat(100_000)));
        assertEquals("a number of more than 4300 digits", wide.getMessage());
    }
}
