package dev.tilewright.bench.report;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.apache.commons.io.FileUtils;
import org.junit.jupiter.api.Assumptions;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * A headless Chrome or Chromium that is installed on this machine, with the chromedriver beside it. Nothing is fetched:
 * where one of them is missing, the test is skipped and says which.
 */
public final class Browser implements AutoCloseable {
    private static final List<String> BROWSERS =
            List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome");
    /** As root there is no sandbox to be had; the rest keeps the browser from calling anyone. */
    private static final List<String> ARGUMENTS = List.of("--headless=new", "--no-sandbox", "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-dev-shm-usage",
            "--hide-scrollbars");

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Path profile;
    private final ChromeDriver driver;

    private Browser(Path profile, ChromeDriver driver) {
        this.profile = profile;
        this.driver = driver;
    }

    /** Starts one, or skips the test with the reason. */
    public static Browser start() throws IOException {
        Optional<Path> browser = BROWSERS.stream().flatMap(name -> find(name).stream()).findFirst();
        Assumptions.assumeTrue(browser.isPresent(), "no browser on the PATH: looked for " + String.join(", ",
                BROWSERS));
        Optional<Path> chromedriver = find("chromedriver");
        Assumptions.assumeTrue(chromedriver.isPresent(), "no chromedriver on the PATH, which steers " + browser.get());
        Path profile = Files.createTempDirectory("tilewright-browser");
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        logs.enable(LogType.PERFORMANCE, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(browser.get().toFile());
        options.addArguments(ARGUMENTS);
        options.addArguments("--user-data-dir=" + profile);
        options.setCapability("goog:loggingPrefs", logs);
        options.setScriptTimeout(PATIENCE);
        ChromeDriverService service =
                new ChromeDriverService.Builder().usingDriverExecutable(chromedriver.get().toFile())
                        .withTimeout(PATIENCE).build();
        // It says at each start that it knows no typed commands for this version of the browser: none is used.
        java.util.logging.Logger.getLogger("org.openqa.selenium").setLevel(Level.SEVERE);
        return new Browser(profile, new ChromeDriver(service, options));
    }

    private static Optional<Path> find(String name) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(folder -> Path.of(folder, name)).filter(Files::isExecutable).findFirst();
    }

    /** Makes the window of the open page this wide, and waits until the page has been drawn again. */
    public void resize(int width) {
        widen(width);
        awaitDrawing(width);
    }

    private void widen(int width) {
        driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", 900, "deviceScaleFactor", 1, "mobile", false));
    }

    /** A busy machine's page may hear late how wide its window is; what is in it is drawn one frame later. */
    private void awaitDrawing(int width) {
        driver.executeAsyncScript("const [width, done] = arguments; "
                + "const look = () => innerWidth !== width ? requestAnimationFrame(look) "
                + ": requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))); look();", width);
    }

    /** Opens a file as in a window of this width, and forgets what the pages before have logged. */
    public void open(Path page, int width, boolean dark) {
        widen(width);
        driver.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features",
                List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
        driver.get("about:blank");
        log();
        requests();
        driver.get(page.toUri().toString());
        awaitDrawing(width);
    }

    /** What the page has written to its console since the last call, errors of the browser about it among that. */
    public List<String> log() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(entry -> entry.getLevel() + " " + entry.getMessage()).toList();
    }

    /** What a page has asked for since the last call, itself among that. */
    public List<String> requests() {
        List<String> all = new ArrayList<>();
        driver.manage().logs().get(LogType.PERFORMANCE).getAll().forEach(entry -> {
            String message = entry.getMessage();
            if (message.contains("\"Network.requestWillBeSent\"") && message.contains("\"documentURL\":\"file:")) {
                all.add(message.replaceFirst("(?s).*\"request\":\\{.*?\"url\":\"([^\"]*)\".*", "$1"));
            }
        });
        return all;
    }

    /** What a function body returns in the page: numbers, strings, booleans, lists and maps of them. */
    public Object run(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    /** Presses a key where the focus is, such as {@code ArrowDown}. */
    public void press(String key) {
        driver.executeCdpCommand("Input.dispatchKeyEvent", Map.of("type", "keyDown", "key", key));
        driver.executeCdpCommand("Input.dispatchKeyEvent", Map.of("type", "keyUp", "key", key));
    }

    /** Puts the pointer onto the middle of an element, which is scrolled to. */
    public void pointTo(String selector) {
        List<?> place = (List<?>) run("const e = document.querySelector(arguments[0]); e.scrollIntoView({ block:"
                + " 'center' }); const box = e.getBoundingClientRect();"
                + " return [(box.left + box.right) / 2, (box.top + box.bottom) / 2];", selector);
        driver.executeCdpCommand("Input.dispatchMouseEvent", Map.of("type", "mouseMoved", "x", place.get(0), "y",
                place.get(1)));
    }

    /** Writes the whole page as a picture. */
    public void picture(Path file) throws IOException {
        long height = ((Number) run("return document.documentElement.scrollHeight")).longValue();
        long width = ((Number) run("return window.innerWidth")).longValue();
        driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
        Files.createDirectories(file.getParent());
        Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
    }

    @Override
    public void close() throws IOException {
        driver.quit();
        FileUtils.deleteQuietly(profile.toFile());
    }
}
