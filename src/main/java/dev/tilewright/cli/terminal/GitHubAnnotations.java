package dev.tilewright.cli.terminal;

import java.util.Map;

/**
 * What GitHub Actions shows beside a line of a change and in a run's summary: workflow commands among the output of a
 * step (docs.github.com, "Workflow commands for GitHub Actions", "Setting an error message").
 */
public final class GitHubAnnotations {
    private static final int MOST_CHARACTERS = 2_000;

    private GitHubAnnotations() { }

    /** Whether that is the environment of a step of a GitHub workflow. */
    public static boolean wanted(Map<String, String> environment) {
        return "true".equals(environment.get("GITHUB_ACTIONS"));
    }

    /** One failure, as a line of output without its end. */
    public static String error(Failure failure) {
        StringBuilder text = new StringBuilder("::error ");
        failure.file().ifPresent(file -> text.append("file=").append(property(file)).append(','));
        failure.line().ifPresent(line -> text.append("line=").append(line).append(','));
        return text.append("title=").append(property(failure.title())).append("::").append(message(failure.message()))
                .toString();
    }

    /** A value may not end the line, the property or the list of properties. */
    private static String property(String value) {
        return message(value).replace(":", "%3A").replace(",", "%2C");
    }

    private static String message(String text) {
        String shown = text.length() <= MOST_CHARACTERS ? text : text.substring(0, MOST_CHARACTERS) + " ...";
        return Visible.lines(shown.replace("\r\n", "\n")).replace("%", "%25").replace("\n", "%0A");
    }
}
