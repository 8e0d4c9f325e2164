package dev.tilewright.doctor.machine;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.gpu.nvrtc.locate.NvrtcCopy;
import dev.tilewright.gpu.nvrtc.locate.NvrtcLocation;
import dev.tilewright.gpu.nvrtc.locate.NvrtcLocator;
import dev.tilewright.gpu.nvrtc.locate.NvrtcRule;
import dev.tilewright.gpu.nvrtc.locate.NvrtcSearch;
import dev.tilewright.gpu.nvrtc.locate.NvrtcSearch.Rejection;
import dev.tilewright.io.host.HostEnvironment;
import dev.tilewright.ptx.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The compiler: the one that is taken, and the others.
 *
 * @param file the libnvrtc that is taken; empty if there is none yet
 * @param rule the rule that led to it, such as {@code CUDA_HOME}; empty if there is none
 * @param version its version, such as {@code 12.9}; empty if there is none
 * @param targets what it compiles for, of sm_80 and later, in ascending order
 * @param problem why it, or the setting that names it, does not work; else empty
 * @param explicit whether a setting names it
 * @param copies every libnvrtc on this machine, the one that is taken among them
 * @param passedOver the places that were looked at before it, each with the reason
 * @param unusable those of them that are a libnvrtc: one that does not work
 */
public record NvrtcFacts(String file, String rule, String version, List<String> targets, String problem,
        boolean explicit, List<Copy> copies, List<String> passedOver,
        List<String> unusable) {

    /**
     * A libnvrtc.
     *
     * @param file where it is
     * @param rule the rule that leads to it
     * @param version what its files' names say; empty if they say nothing
     */
    public record Copy(String file, String rule, String version) {
        private static Copy of(NvrtcCopy copy) {
            return new Copy(copy.file().toString(), copy.rule().toString(),
                    copy.version().map(Object::toString).orElse(""));
        }
    }

    public NvrtcFacts {
        targets = List.copyOf(targets);
        copies = List.copyOf(copies);
        passedOver = List.copyOf(passedOver);
        unusable = List.copyOf(unusable);
    }

    /** Whether there is one that compiles. */
    public boolean isReady() {
        return !targets.isEmpty();
    }

    /** Fetches nothing. */
    static NvrtcFacts look(HostEnvironment environment) {
        try {
            NvrtcLocator locator = NvrtcLocator.of(environment);
            List<Copy> copies = locator.copies().stream().map(Copy::of).toList();
            NvrtcSearch search = locator.survey();
            return search.found().map(found -> of(found, copies, search)).orElseGet(() -> none(copies, search));
        } catch (BadRequestException | MissingRequirementException e) {
            return new NvrtcFacts("", "", "", List.of(), e.getMessage(), true, List.of(), List.of(), List.of());
        }
    }

    private static NvrtcFacts of(NvrtcLocation found, List<Copy> copies, NvrtcSearch search) {
        List<String> targets = List.of();
        String problem = "";
        try {
            targets = Nvrtc.find(Progress.NONE).supportedTargets().stream().filter(t -> t.supports(Target.SM_80))
                    .map(Target::toString).toList();
        } catch (MissingRequirementException | BadRequestException e) {
            problem = e.getMessage();
        }
        return new NvrtcFacts(found.file().toString(), found.rule().toString(), found.version().toString(), targets,
                problem, found.rule() == NvrtcRule.EXPLICIT_SETTING, copies, words(search.rejected()),
                unusable(search));
    }

    /** A setting that does not work stops everything; without one a copy is fetched when it is needed. */
    private static NvrtcFacts none(List<Copy> copies, NvrtcSearch search) {
        Optional<Rejection> setting = search.rejected().stream()
                .filter(r -> r.rule() == NvrtcRule.EXPLICIT_SETTING).reduce((_, last) -> last);
        return new NvrtcFacts("", "", "", List.of(), setting.map(Rejection::reason).orElse(""),
                setting.isPresent(), copies, words(search.rejected()), unusable(search));
    }

    private static List<String> unusable(NvrtcSearch search) {
        return words(search.rejected().stream().filter(r -> r.rule() != NvrtcRule.EMBEDDED
                && Files.isRegularFile(Path.of(r.place()))).toList());
    }

    private static List<String> words(List<Rejection> rejections) {
        return rejections.stream().map(Object::toString).toList();
    }
}
