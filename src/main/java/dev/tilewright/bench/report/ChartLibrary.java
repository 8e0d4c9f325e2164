package dev.tilewright.bench.report;

import dev.tilewright.MissingRequirementException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/**
 * Apache ECharts, out of the jar {@code org.webjars:echarts}, which is optional: only the page needs it. Its whole
 * minified script is taken, as the smaller ones that the jar has draw no heat maps.
 *
 * @param version such as {@code 5.5.0}
 * @param script JavaScript, with its licence header
 */
record ChartLibrary(String version, String script) {
    private static final String PROPERTIES = "META-INF/maven/org.webjars/echarts/pom.properties";
    private static final String SCRIPT = "META-INF/resources/webjars/echarts/%s/echarts.min.js";

    /** @throws MissingRequirementException if it is not on the class path, with what to add */
    static ChartLibrary load() {
        return load(ChartLibrary.class.getClassLoader());
    }

    static ChartLibrary load(ClassLoader loader) {
        Properties properties = new Properties();
        try (InputStream in = loader.getResourceAsStream(PROPERTIES)) {
            if (in == null) {
                throw new MissingRequirementException("--html needs Apache ECharts, which draws the charts, and it is"
                        + " not on the class path: add org.webjars:echarts:5.5.0");
            }
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + PROPERTIES, e);
        }
        String version = properties.getProperty("version");
        String path = SCRIPT.formatted(version);
        try (InputStream in = loader.getResourceAsStream(path)) {
            if (in == null) {
                throw new MissingRequirementException("--html needs Apache ECharts, and org.webjars:echarts:" + version
                        + " on the class path has no " + path + ": use org.webjars:echarts:5.5.0");
            }
            return new ChartLibrary(version, new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + path, e);
        }
    }

    /** What the page says about it. */
    String notice() {
        return "Charts drawn by Apache ECharts " + version
                + ", © The Apache Software Foundation, Apache License 2.0, which is in this file.";
    }
}
