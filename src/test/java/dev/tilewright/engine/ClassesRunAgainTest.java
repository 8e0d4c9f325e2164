package dev.tilewright.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.HugeValuesTest;
import java.io.IOException;
import java.lang.reflect.AccessFlag;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** A class of tests runs once, whatever starts it, and can run a second time in the same JVM. */
class ClassesRunAgainTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final Pattern ENDS = Pattern.compile("^ +@(?:AfterContainer|AfterAll)$", Pattern.MULTILINE);

    /** For each time that it would run, the engines it is in, the outermost first. */
    private static List<String> runs(Class<?> type, EngineFilter... chosen) {
        TestPlan plan = LauncherFactory.create().discover(LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(type)).filters(chosen)
                .configurationParameter("tilewright.tests.together", "true").build());
        return plan.getRoots().stream().flatMap(root -> plan.getDescendants(root).stream())
                .filter(one -> one.getUniqueIdObject().getLastSegment().getType().equals("class"))
                .map(ClassesRunAgainTest::engines).sorted().toList();
    }

    private static String engines(TestIdentifier one) {
        return one.getUniqueIdObject().getSegments().stream().filter(segment -> segment.getType().equals("engine"))
                .map(segment -> segment.getValue()).collect(Collectors.joining(", "));
    }

    @Test
    void oneEngineRunsIt() {
        EngineFilter chosen = EngineFilter.includeEngines("side-by-side");
        assertEquals(List.of("jqwik"), runs(HugeValuesTest.class));
        assertEquals(List.of("side-by-side, jqwik"), runs(HugeValuesTest.class, chosen));
        assertEquals(List.of("junit-jupiter"), runs(ClassesRunAgainTest.class));
        assertEquals(List.of("side-by-side, junit-jupiter"), runs(ClassesRunAgainTest.class, chosen));
    }

    private static boolean staysClosed(Field field) {
        return field.accessFlags().containsAll(Set.of(AccessFlag.STATIC, AccessFlag.FINAL))
                && AutoCloseable.class.isAssignableFrom(field.getType());
    }

    /** A constant is not made anew: what closes it at the end leaves a closed one to the next run. */
    @Test
    void whatItsEndClosesItsBeginningOpens() throws IOException, ClassNotFoundException {
        List<Class<?>> ending = new ArrayList<>();
        for (String sources : List.of("src/test/java", "native-tests/java")) {
            Path root = ROOT.resolve(sources);
            try (Stream<Path> files = Files.walk(root)) {
                for (Path file : files.filter(f -> f.toString().endsWith("Test.java")).toList()) {
                    if (ENDS.matcher(Files.readString(file)).find()) {
                        String name = root.relativize(file).toString().replace(".java", "").replace('/', '.');
                        ending.add(Class.forName(name, false, getClass().getClassLoader()));
                    }
                }
            }
        }
        assertTrue(ending.contains(HugeValuesTest.class) && ending.size() >= 10, ending::toString);
        assertEquals(Set.of(), ending.stream().flatMap(type -> Stream.of(type.getDeclaredFields()))
                .filter(ClassesRunAgainTest::staysClosed).map(Field::toString)
                .collect(Collectors.toCollection(TreeSet::new)));
    }
}
