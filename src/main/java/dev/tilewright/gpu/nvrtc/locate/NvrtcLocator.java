package dev.tilewright.gpu.nvrtc.locate;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.gpu.host.LoaderPath;
import dev.tilewright.gpu.host.TrustedFolder;
import dev.tilewright.gpu.nvrtc.LibraryFolder;
import dev.tilewright.gpu.nvrtc.NvrtcVersion;
import dev.tilewright.gpu.nvrtc.child.Compilers;
import dev.tilewright.gpu.nvrtc.fetch.EmbeddedNvrtc;
import dev.tilewright.gpu.nvrtc.locate.NvrtcSearch.Rejection;
import dev.tilewright.io.host.HostEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds NVRTC by the rules of {@link NvrtcRule}, in their order, and says why each place before it was rejected.
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
    private final Optional<NvrtcVersion> driver;
    private final EmbeddedNvrtc embedded;

    /** Looks in this environment, and remembers the versions of the libraries that it had to load. */
    public static NvrtcLocator of(HostEnvironment environment) {
        Function<Path, NvrtcVersion> asked = file -> Compilers.open(environment, file, () -> { }).version();
        Optional<Path> memos = environment.kernelCacheRoot()
                .map(root -> root.resolve("tilewright").resolve("nvrtc-versions"))
                .filter(folder -> TrustedFolder.objection(folder).isEmpty());
        return new NvrtcLocator(environment, memos.<Function<Path, NvrtcVersion>>map(
                folder -> new VersionMemo(folder, asked)).orElse(asked), NvrtcVersion.ofDriver());
    }

    /**
     * @param versions gives a library's version, by loading it or by remembering; throws MissingRequirementException
     *     for one that cannot be loaded
     * @param driver the newest CUDA that the driver knows; empty where there is no driver
     */
    NvrtcLocator(HostEnvironment environment, Function<Path, NvrtcVersion> versions, Optional<NvrtcVersion> driver) {
        this.environment = environment;
        this.versions = versions;
        this.driver = driver;
        this.embedded = new EmbeddedNvrtc(environment, driver);
    }

    /**
     * Finds NVRTC, fetching the embedded copy if nothing else does.
     *
     * @throws MissingRequirementException if the explicit setting does not work, or if there is no NVRTC anywhere
     */
    public NvrtcSearch find(Progress progress) {
        Optional<HostEnvironment.Setting> setting = environment.setting(PROPERTY, VARIABLE);
        if (setting.isPresent() && !setting.get().value().equals(EMBEDDED)) {
            return explicit(setting.get());
        }
        NvrtcSearch installed = setting.isPresent() ? nothing() : installed();
        if (installed.found().isPresent()) {
            return installed;
        }
        try {
            embedded.obtain(progress);
            return new NvrtcSearch(Optional.of(embeddedCopy()), installed.rejected());
        } catch (MissingRequirementException e) {
            throw setting.isPresent() ? e
                    : new MissingRequirementException("no NVRTC is installed here, and " + e.getMessage(), e);
        }
    }

    /**
     * Finds NVRTC, and fetches nothing: the embedded copy is named where nothing else is there, whether it was fetched
     * yet or not. Nothing is found where {@link #find} would fail for lack of any.
     *
     * @throws MissingRequirementException if the explicit setting does not work
     */
    public NvrtcSearch locate() {
        Optional<HostEnvironment.Setting> setting = environment.setting(PROPERTY, VARIABLE);
        if (setting.isPresent() && !setting.get().value().equals(EMBEDDED)) {
            return explicit(setting.get());
        }
        NvrtcSearch installed = setting.isPresent() ? nothing() : installed();
        return installed.found().isPresent() || !embedded.canBeHad() ? installed
                : new NvrtcSearch(Optional.of(embeddedCopy()), installed.rejected());
    }

    /**
     * What {@link #find} would result in, without fetching anything and without failing: for reports.
     *
     * @throws dev.tilewright.BadRequestException if TILEWRIGHT_NVRTC_EMBEDDED names a release that there is not
     */
    public NvrtcSearch survey() {
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
        if (embedded.isReady()) {
            return new NvrtcSearch(Optional.of(embeddedCopy()), installed.rejected());
        }
        List<Rejection> rejected = new ArrayList<>(installed.rejected());
        rejected.add(new Rejection(NvrtcRule.EMBEDDED, embedded.place(), environment.isLinuxX86()
                ? "not there yet: the first compilation fetches " + embedded.mebibytes() + " MiB from "
                        + embedded.repository()
                : "it is for Linux on x86-64 and this is " + environment.platform()));
        return new NvrtcSearch(Optional.empty(), rejected);
    }

    /**
     * Every libnvrtc that the rules lead to, in their order, each file once under the first rule that does. Nothing is
     * loaded, and nothing fetched.
     */
    public List<NvrtcCopy> copies() {
        Map<Path, NvrtcCopy> byFile = new LinkedHashMap<>();
        environment.setting(PROPERTY, VARIABLE).filter(s -> !s.value().equals(EMBEDDED)).ifPresent(s -> {
            Path named = Path.of(s.value());
            add(byFile, NvrtcRule.EXPLICIT_SETTING, Files.isDirectory(named) ? newestOf(libraryFolders(named))
                    : List.of(named));
        });
        for (Toolkit toolkit : toolkits()) {
            add(byFile, toolkit.rule, newestOf(libraryFolders(toolkit.folder)));
        }
        add(byFile, NvrtcRule.DYNAMIC_LOADER, loaderFiles());
        if (embedded.isReady()) {
            add(byFile, NvrtcRule.EMBEDDED, List.of(embedded.file()));
        }
        return List.copyOf(byFile.values());
    }

    private static void add(Map<Path, NvrtcCopy> byFile, NvrtcRule rule, List<Path> files) {
        for (Path file : files) {
            try {
                byFile.putIfAbsent(file.toRealPath(), new NvrtcCopy(file, rule, LibraryFolder.versionByNames(file)));
            } catch (IOException e) {
                // A dangling link is no copy.
            }
        }
    }

    private NvrtcLocation embeddedCopy() {
        return new NvrtcLocation(embedded.file(), NvrtcRule.EMBEDDED, embedded.version(), embedded.bytes());
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
                        + rejected.getLast().reason() + "; set it to a libnvrtc.so or its folder, or unset it"))),
                rejected);
    }

    /** A folder to look in, and the rule that says so. */
    private record Toolkit(NvrtcRule rule, Path folder) { }

    /** Every rule between the explicit setting and the embedded copy. */
    private NvrtcSearch installed() {
        List<Rejection> rejected = new ArrayList<>();
        for (Toolkit toolkit : toolkits()) {
            Optional<NvrtcLocation> found =
                    inFolders(toolkit.rule, toolkit.folder, libraryFolders(toolkit.folder), rejected);
            if (found.isPresent()) {
                return new NvrtcSearch(found, rejected);
            }
        }
        return new NvrtcSearch(dynamicLoader(rejected), rejected);
    }

    /**
     * What the user named; what the administrator linked; versioned ones from the newest; distributions' own places.
     */
    private List<Toolkit> toolkits() {
        List<Toolkit> all = new ArrayList<>();
        for (NvrtcRule rule : List.of(NvrtcRule.CUDA_HOME, NvrtcRule.CUDA_PATH)) {
            environment.variable(rule.name()).ifPresent(folder -> all.add(new Toolkit(rule, Path.of(folder))));
        }
        List<Path> usual = new ArrayList<>(List.of(environment.system("usr/local/cuda")));
        usual.addAll(versionedToolkits());
        usual.add(environment.system("opt/cuda"));
        usual.add(environment.system("usr/lib/x86_64-linux-gnu"));
        for (Path folder : usual) {
            all.add(new Toolkit(NvrtcRule.TOOLKIT_FOLDER, folder));
        }
        return all;
    }

    private List<Path> versionedToolkits() {
        try (Stream<Path> list = Files.list(environment.system("usr/local"))) {
            return list.filter(f -> VERSIONED_TOOLKIT.matcher(f.getFileName().toString()).matches())
                    .sorted(Comparator.comparing(NvrtcLocator::toolkitVersion).reversed().thenComparing(f -> f))
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    private static NvrtcVersion toolkitVersion(Path folder) {
        Matcher m = VERSIONED_TOOLKIT.matcher(folder.getFileName().toString());
        if (!m.matches()) {
            throw new IllegalArgumentException(folder.toString());
        }
        return new NvrtcVersion(Integer.parseInt(m.group(1)), m.group(2) == null ? 0 : Integer.parseInt(m.group(2)));
    }

    private Optional<NvrtcLocation> dynamicLoader(List<Rejection> rejected) {
        List<Path> files = loaderFiles();
        if (files.isEmpty()) {
            rejected.add(new Rejection(NvrtcRule.DYNAMIC_LOADER, String.join(", ", NAMES), "it finds none of them"));
        }
        return firstOf(NvrtcRule.DYNAMIC_LOADER, files, rejected);
    }

    private List<Path> loaderFiles() {
        LoaderPath loader = new LoaderPath(environment);
        return NAMES.stream().flatMap(name -> loader.find(name).stream()).toList();
    }

    private static List<Path> libraryFolders(Path toolkit) {
        List<Path> folders = new ArrayList<>(List.of(toolkit));
        for (String name : LIBRARY_FOLDERS) {
            folders.add(toolkit.resolve(name));
        }
        return folders;
    }

    /**
     * The newest libnvrtc that can be used, of the first folder that has one; one rejection for the place if none holds
     * any.
     */
    private Optional<NvrtcLocation> inFolders(NvrtcRule rule, Path place, List<Path> folders,
            List<Rejection> rejected) {
        List<Path> files = newestOf(folders);
        if (files.isEmpty()) {
            rejected.add(new Rejection(rule, place.toString(), Files.isDirectory(place)
                    ? "there is no libnvrtc.so in it, nor in its " + String.join(", ", LIBRARY_FOLDERS)
                    : "there is no such folder"));
        }
        return firstOf(rule, files, rejected);
    }

    private static List<Path> newestOf(List<Path> folders) {
        return folders.stream().flatMap(folder -> LibraryFolder.newestLibrary(folder).stream()).toList();
    }

    private Optional<NvrtcLocation> firstOf(NvrtcRule rule, List<Path> files, List<Rejection> rejected) {
        for (Path file : files) {
            Optional<NvrtcLocation> found = file(rule, file, rejected);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private Optional<NvrtcLocation> file(NvrtcRule rule, Path file, List<Rejection> rejected) {
        Optional<String> objection = LibraryFolder.objection(file, environment.architecture());
        if (objection.isEmpty() && rule != NvrtcRule.EXPLICIT_SETTING) {
            objection = TrustedFolder.openToAll(file.getParent()).or(() -> TrustedFolder.openToAll(realFolder(file)));
        }
        if (objection.isEmpty()) {
            try {
                NvrtcLocation found = new NvrtcLocation(file, rule, versions.apply(file), Files.size(file));
                objection = tooNew(found);
                if (objection.isEmpty()) {
                    return Optional.of(found);
                }
            } catch (MissingRequirementException | IOException e) {
                objection = Optional.of(e.getMessage());
            }
        }
        rejected.add(new Rejection(rule, file.toString(), objection.get()));
        return Optional.empty();
    }

    /** The folder of the file that a link leads to. */
    private static Path realFolder(Path file) {
        try {
            return file.toRealPath().getParent();
        } catch (IOException e) {
            return file.getParent();
        }
    }

    /** A driver loads the cubins of its own major version of CUDA and of older ones. What the user names is taken. */
    private Optional<String> tooNew(NvrtcLocation found) {
        return driver.filter(d -> found.version().major() > d.major() && found.rule() != NvrtcRule.EXPLICIT_SETTING)
                .map(d -> "it is NVRTC " + found.version() + ", and the driver here is of CUDA " + d
                        + ", which need not load its cubins");
    }
}
