package dev.tilewright.gpu.nvrtc;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.nvrtc.NvrtcSearch.Rejection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds NVRTC by the rules of {@link NvrtcRule}, in their order, and says of every place that did not do why.
 *
 * <p>The explicit setting (property {@code tilewright.nvrtc}, variable TILEWRIGHT_NVRTC) is a libnvrtc, or a folder
 * that holds one, or a toolkit's folder, or the word {@code embedded} for the copy from Maven. One that does not work
 * is an error: falling back would hide it.
 */
public final class NvrtcLocator {

    private static final String PROPERTY = "tilewright.nvrtc";
    private static final String VARIABLE = "TILEWRIGHT_NVRTC";
    private static final String EMBEDDED = "embedded";

    /** Where a toolkit keeps its libraries, below its own folder. */
    private static final List<String> LIBRARY_FOLDERS = List.of("lib64", "lib", "targets/x86_64-linux/lib");

    private static final Pattern VERSIONED_TOOLKIT = Pattern.compile("cuda-(\\d{1,4})(?:\\.(\\d{1,4}))?.*");
    private static final List<String> NAMES = List.of("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so");

    private final HostEnvironment environment;
    private final Function<Path, NvrtcVersion> versions;
    private final EmbeddedNvrtc embedded;

    /**
     * @param versions gives a library's version, by loading it or by remembering; throws MissingRequirementException
     *     for one that cannot be loaded
     */
    NvrtcLocator(HostEnvironment environment, Function<Path, NvrtcVersion> versions) {
        this.environment = environment;
        this.versions = versions;
        this.embedded = new EmbeddedNvrtc(environment);
    }

    /**
     * Finds NVRTC, fetching the embedded copy if nothing else does.
     *
     * @throws MissingRequirementException if the explicit setting does not work, or if there is no NVRTC anywhere
     */
    NvrtcSearch find(Progress progress) {
        Optional<HostEnvironment.Setting> setting = environment.setting(PROPERTY, VARIABLE);
        if (setting.isPresent() && !setting.get().value().equals(EMBEDDED)) {
            return explicit(setting.get());
        }
        NvrtcSearch installed = setting.isPresent() ? nothing() : installed();
        if (installed.found().isPresent()) {
            return installed;
        }
        try {
            return new NvrtcSearch(Optional.of(embedded.obtain(progress)), installed.rejected());
        } catch (MissingRequirementException e) {
            throw setting.isPresent() ? e
                    : new MissingRequirementException("no NVRTC is installed here, and " + e.getMessage(), e);
        }
    }

    /** What {@link #find} would come to, without fetching anything and without failing: for reports. */
    NvrtcSearch survey() {
        Optional<HostEnvironment.Setting> setting = environment.setting(PROPERTY, VARIABLE);
        if (setting.isPresent() && !setting.get().value().equals(EMBEDDED)) {
            try {
                return explicit(setting.get());
            } catch (MissingRequirementException e) {
                return new NvrtcSearch(Optional.empty(), List.of(new Rejection(NvrtcRule.EXPLICIT_SETTING,
                        setting.get().name() + "=" + setting.get().value(), e.getMessage())));
            }
        }
        NvrtcSearch installed = setting.isPresent() ? nothing() : installed();
        if (installed.found().isPresent()) {
            return installed;
        }
        Optional<NvrtcLocation> ready = embedded.ready();
        List<Rejection> rejected = new ArrayList<>(installed.rejected());
        if (ready.isEmpty()) {
            rejected.add(new Rejection(NvrtcRule.EMBEDDED, embedded.file().toString(), environment.isLinuxX86()
                    ? "not there yet: the first compilation fetches 45 MB from " + embedded.repository()
                    : "it is for Linux on x86-64 and this is " + environment.platform()));
        }
        return new NvrtcSearch(ready, rejected);
    }

    private static NvrtcSearch nothing() {
        return new NvrtcSearch(Optional.empty(), List.of());
    }

    private NvrtcSearch explicit(HostEnvironment.Setting setting) {
        Path path = Path.of(setting.value());
        List<Rejection> rejected = new ArrayList<>();
        Optional<NvrtcLocation> found = Files.isDirectory(path)
                ? inFolders(NvrtcRule.EXPLICIT_SETTING, path, libraryFolders(path), rejected)
                : file(NvrtcRule.EXPLICIT_SETTING, path, rejected);
        return new NvrtcSearch(Optional.of(found.orElseThrow(() -> new MissingRequirementException(
                setting.name() + " is set to " + setting.value() + ", which is no NVRTC that can be used: "
                        + rejected.getLast().reason() + "; set it to a libnvrtc.so or its folder, or unset it"))), rejected);
    }

    /** Every rule between the explicit setting and the embedded copy. */
    private NvrtcSearch installed() {
        List<Rejection> rejected = new ArrayList<>();
        Optional<NvrtcLocation> found = toolkitOf(NvrtcRule.CUDA_HOME, rejected)
                .or(() -> toolkitOf(NvrtcRule.CUDA_PATH, rejected))
                .or(() -> usualFolders().flatMap(folder ->
                        inFolders(NvrtcRule.TOOLKIT_FOLDER, folder, libraryFolders(folder), rejected).stream()).findFirst())
                .or(() -> dynamicLoader(rejected));
        return new NvrtcSearch(found, rejected);
    }

    /** The rule's name is the variable's. */
    private Optional<NvrtcLocation> toolkitOf(NvrtcRule rule, List<Rejection> rejected) {
        return environment.variable(rule.name()).map(Path::of)
                .flatMap(toolkit -> inFolders(rule, toolkit, libraryFolders(toolkit), rejected));
    }

    /** The one that the administrator linked, then versioned ones from the newest, then distributions' own places. */
    private Stream<Path> usualFolders() {
        Path local = environment.system("usr/local");
        List<Path> versioned = List.of();
        try (Stream<Path> list = Files.list(local)) {
            versioned = list.filter(f -> VERSIONED_TOOLKIT.matcher(f.getFileName().toString()).matches())
                    .sorted(Comparator.comparing(NvrtcLocator::toolkitVersion).reversed().thenComparing(f -> f))
                    .toList();
        } catch (IOException e) {
            // No such folder: no toolkit in it.
        }
        return Stream.of(Stream.of(local.resolve("cuda")), versioned.stream(),
                        Stream.of(environment.system("opt/cuda"), environment.system("usr/lib/x86_64-linux-gnu")))
                .flatMap(s -> s);
    }

    private static NvrtcVersion toolkitVersion(Path folder) {
        Matcher m = VERSIONED_TOOLKIT.matcher(folder.getFileName().toString());
        if (!m.matches()) {
            throw new IllegalArgumentException(folder.toString());
        }
        return new NvrtcVersion(Integer.parseInt(m.group(1)), m.group(2) == null ? 0 : Integer.parseInt(m.group(2)));
    }

    private Optional<NvrtcLocation> dynamicLoader(List<Rejection> rejected) {
        LoaderPath loader = new LoaderPath(environment);
        List<Path> files = NAMES.stream().flatMap(name -> loader.find(name).stream()).toList();
        if (files.isEmpty()) {
            rejected.add(new Rejection(NvrtcRule.DYNAMIC_LOADER, String.join(", ", NAMES), "it finds none of them"));
        }
        return files.stream().flatMap(f -> file(NvrtcRule.DYNAMIC_LOADER, f, rejected).stream()).findFirst();
    }

    private static List<Path> libraryFolders(Path toolkit) {
        return Stream.concat(Stream.of(toolkit), LIBRARY_FOLDERS.stream().map(toolkit::resolve)).toList();
    }

    /** The first of the folders whose newest libnvrtc does; one rejection for the place if none holds any. */
    private Optional<NvrtcLocation> inFolders(NvrtcRule rule, Path place, List<Path> folders, List<Rejection> rejected) {
        List<Path> files = folders.stream().flatMap(f -> LibraryFolder.newestLibrary(f).stream()).toList();
        if (files.isEmpty()) {
            rejected.add(new Rejection(rule, place.toString(), Files.isDirectory(place)
                    ? "there is no libnvrtc.so in it, nor in its " + String.join(", ", LIBRARY_FOLDERS)
                    : "there is no such folder"));
        }
        return files.stream().flatMap(f -> file(rule, f, rejected).stream()).findFirst();
    }

    private Optional<NvrtcLocation> file(NvrtcRule rule, Path file, List<Rejection> rejected) {
        Optional<String> objection = LibraryFolder.objection(file, environment.architecture());
        if (objection.isEmpty()) {
            try {
                return Optional.of(new NvrtcLocation(file, rule, versions.apply(file), Files.size(file)));
            } catch (MissingRequirementException | IOException e) {
                objection = Optional.of(e.getMessage());
            }
        }
        rejected.add(new Rejection(rule, file.toString(), objection.get()));
        return Optional.empty();
    }
}
