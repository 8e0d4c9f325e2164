package dev.tilewright.cli.annotate;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tilewright.cli.terminal.Failure;
import java.util.List;
import org.apache.commons.codec.digest.DigestUtils;

/**
 * What GitLab shows beside the lines of a merge request: one entry of a code quality report (docs.gitlab.com, "Code
 * Quality", "Code Quality report format"), whose fields are these.
 *
 * @param fingerprint the same for the same failure in another run, by which GitLab tells what is new
 * @param location a place, which every entry has to have
 */
record CodeQuality(String description, @JsonProperty("check_name") String checkName, String fingerprint,
        String severity, Location location) {

    /** @param path relative to the project's folder */
    record Location(String path, Lines lines) { }

    /** @param begin from 1 */
    record Lines(int begin) { }

    /** The report. @param elsewhere the file of failures whose own is not known */
    static List<CodeQuality> of(List<Failure> failures, String elsewhere) {
        return failures.stream().map(failure -> {
            String path = failure.file().orElse(elsewhere);
            return new CodeQuality(failure.title() + ": " + failure.message(), "test",
                    DigestUtils.sha256Hex(path + "\n" + failure.title()), "blocker",
                    new Location(path, new Lines(failure.line().orElse(1))));
        }).toList();
    }
}
