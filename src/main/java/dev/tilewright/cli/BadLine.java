package dev.tilewright.cli;

import dev.tilewright.Nearest;
import dev.tilewright.cli.terminal.Visible;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;
import picocli.CommandLine;

/** What is wrong with a command line that could not be read, in one sentence. */
final class BadLine {
    /** How picocli names what it caught. */
    private static final Pattern JAVA_NAME =
            Pattern.compile("(to (class|interface) )?(java|dev\\.tilewright)\\.[\\w.$]+:? ");
    private static final Pattern NUMBER = Pattern.compile("'([^']*)' is not an? (int|long)");

    private BadLine() { }

    /** @param args the whole line */
    static String sentence(ParameterException e, List<String> args) {
        CommandLine at = e.getCommandLine();
        return what(e, args) + " (see '" + at.getCommandSpec().qualifiedName() + " --help')";
    }

    private static String what(ParameterException e, List<String> args) {
        CommandLine at = e.getCommandLine();
        String message = Visible.line(numbers(JAVA_NAME.matcher(e.getMessage()).replaceAll("")));
        if (!(e instanceof UnmatchedArgumentException unmatched)) {
            return message;
        }
        String first = unmatched.getUnmatched().getFirst();
        Set<String> verbs = at.getSubcommands().keySet();
        if (at.getParent() == null && !first.startsWith("-")) {
            return Visible.line("there is no verb '" + first + "'") + Nearest.to(first, verbs).map(BadLine::meant)
                    .orElse("");
        }
        if (at.getParent() == null && args.stream().anyMatch(verbs::contains)) {
            String verb = args.stream().filter(verbs::contains).findFirst().orElseThrow();
            return message + ": options come after the verb, 'tilewright " + verb + " " + Visible.line(first) + "'";
        }
        return message + unmatched.getSuggestions().stream().findFirst().map(BadLine::meant).orElse("");
    }

    private static String meant(String name) {
        return ": did you mean '" + name + "'?";
    }

    private static String numbers(String message) {
        return NUMBER.matcher(message).replaceAll(found -> Matcher.quoteReplacement("'" + found.group(1)
                + "' is not a whole number" + (!found.group(1).matches("[+-]?\\d+") ? "" : " from "
                + (found.group(2).equals("int") ? Integer.MIN_VALUE + " to " + Integer.MAX_VALUE
                : Long.MIN_VALUE + " to " + Long.MAX_VALUE))));
    }
}
