package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Lines that are too long: broken where a reader would, and with nothing changed but blanks between words. */
class LineBreaksTest {
    private static final Pattern LITERAL = Pattern.compile("\"[^\"]*\"");

    // ---- properties of any line

    /** Calls within calls, with literals, sums and choices. */
    @Provide
    Arbitrary<String> code() {
        return Arbitraries.randomValue(random -> {
            List<String> parts = new ArrayList<>();
            for (int n = random.nextInt(1, 13); n > 0; n--) {
                parts.add(part(random, 3));
            }
            String join = List.of(" + ", " - ", " * ", " ? ", " : ", " && ", ", ", " = ", " ").get(random.nextInt(9));
            return "    ".repeat(random.nextInt(4)) + String.join(join, parts) + ";";
        });
    }

    private static String part(Random random, int depth) {
        return switch (random.nextInt(depth == 0 ? 2 : 4)) {
            case 0 -> word(random);
            case 1 -> "\"" + word(random) + ", + ( : " + word(random) + "\"";
            default -> {
                List<String> arguments = new ArrayList<>();
                for (int n = random.nextInt(5); n > 0; n--) {
                    arguments.add(part(random, depth - 1));
                }
                yield word(random) + "(" + String.join(random.nextBoolean() ? ", " : " + ", arguments) + ")";
            }
        };
    }

    private static String word(Random random) {
        return "abcdefghijklmnopqrstuvwxyz".substring(0, random.nextInt(1, 27));
    }

    @Property(tries = 500)
    void nothingButBlanksChanges(@ForAll("code") String line) {
        List<String> lines = LineBreaks.of(line.stripLeading(), indent(line));
        assertEquals(line.replaceAll("\\s+", ""), String.join("", lines).replaceAll("\\s+", ""));
        assertEquals(literals(line), lines.stream().flatMap(l -> literals(l).stream()).toList(), "a literal is broken");
    }

    @Property(tries = 500)
    void noLineIsTooLongThatNeedNotBe(@ForAll("code") String line) {
        String indent = indent(line);
        List<String> lines = LineBreaks.of(line.stripLeading(), indent);
        for (int i = 0; i < lines.size(); i++) {
            String part = lines.get(i);
            String further = i == 0 ? indent : indent + "        ";
            assertTrue(part.startsWith(further) && !part.substring(further.length()).isBlank()
                    && part.equals(part.stripTrailing()), part);
            if (part.length() > LineBreaks.WIDTH) {
                // Nowhere within the width could it be broken.
                String within = LITERAL.matcher(part.substring(further.length()))
                        .replaceAll(m -> "x".repeat(m.group().length()));
                within = within.substring(0, Math.min(within.length(), LineBreaks.WIDTH - further.length()));
                assertTrue(!within.matches("(?s).{9,}(, | \\+ | - | \\* | \\? | && | : ).*"), part);
            }
        }
    }

    @Property
    void aLineThatFitsStays(@ForAll("code") String line) {
        if (line.length() <= LineBreaks.WIDTH) {
            assertEquals(List.of(line), LineBreaks.of(line.stripLeading(), indent(line)));
        }
    }

    @Property
    void aCommentIsBrokenBetweenWords(@ForAll("words") List<String> words, @ForAll("indents") String indent) {
        List<String> lines = LineBreaks.of("// " + String.join(" ", words), indent);
        assertEquals(String.join(" ", words), lines.stream().map(String::strip).map(l -> l.substring(3))
                .collect(Collectors.joining(" ")));
        for (String line : lines) {
            assertTrue(line.startsWith(indent + "// "), line);
            assertTrue(line.length() <= LineBreaks.WIDTH || line.substring(indent.length() + 3).indexOf(' ') < 0, line);
        }
    }

    @Provide
    Arbitrary<List<String>> words() {
        return Arbitraries.strings().withCharRange('!', '~').ofMinLength(1).ofMaxLength(140).list().ofMinSize(1)
                .ofMaxSize(40);
    }

    @Provide
    Arbitrary<String> indents() {
        return Arbitraries.integers().between(0, 50).map("    "::repeat);
    }

    private static String indent(String line) {
        return line.substring(0, line.length() - line.stripLeading().length());
    }

    private static List<String> literals(String line) {
        List<String> all = new ArrayList<>();
        Matcher m = LITERAL.matcher(line);
        while (m.find()) {
            all.add(m.group());
        }
        return all;
    }

    // ---- where a reader would

    private static void broken(String text, String... lines) {
        assertEquals(List.of(lines), LineBreaks.of(text, "    "));
    }

    @Example
    void whereTheFewestBracketsAreOpen() {
        broken("function_with_a_long_name(another_function(first_argument, second_argument), "
                + "a_third_function(third_argument, fourth_argument));",
                "    function_with_a_long_name(another_function(first_argument, second_argument),",
                "            a_third_function(third_argument, fourth_argument));");
    }

    @Example
    void afterACommaBeforeAnOperator() {
        broken("a_function_with_a_long_name(the_first_argument + the_second_summand, the_second_argument + "
                + "something_else * that_is_long);", "    a_function_with_a_long_name(the_first_argument + "
                + "the_second_summand,", "            the_second_argument + something_else * that_is_long);");
    }

    @Example
    void anAssignmentWhereThatIsEnough() {
        broken("const long long the_result_of_it_all = "
                + "a_function_with_a_name_that_is_very_long_indeed_and_on(argument_one + argument_two);",
                "    const long long the_result_of_it_all",
                "            = a_function_with_a_name_that_is_very_long_indeed_and_on(argument_one + argument_two);");
    }

    @Example
    void aCommentAtTheEndStaysWhole() {
        broken("unsigned char* const a_name_that_is_long = shared_memory;  // a comment, which goes on and on + more, "
                + "until the width is passed", "    unsigned char* const a_name_that_is_long = shared_memory;",
                "            // a comment, which goes on and on + more, until the width is passed");
    }

    @Example
    void colonsStayTogether() {
        broken("asm volatile(\"an.instruction.with.a.long.name.and.many.qualifiers [%0], [%1], %2, [%3];\" : : "
                + "\"r\"(dst), \"l\"(src) : \"memory\");", "    asm "
                + "volatile(\"an.instruction.with.a.long.name.and.many.qualifiers [%0], [%1], %2, [%3];\" : : "
                + "\"r\"(dst), \"l\"(src)", "            : \"memory\");");
        broken("asm volatile(\"an.instruction.with.a.long.name.and.very.many.qualifiers.one.after.the.other [%0], "
                + "[%1];\" : : \"r\"(dst) : \"memory\");", "    asm "
                + "volatile(\"an.instruction.with.a.long.name.and.very.many.qualifiers.one.after.the.other [%0], "
                + "[%1];\"", "            : : \"r\"(dst) : \"memory\");");
    }

    @Example
    void severalLinesStaySeveral() {
        assertEquals(List.of("    first(", "        second)"), LineBreaks.of("first(\n        second)", "    "));
        assertEquals(List.of(""), LineBreaks.of("", "    "));
    }
}
