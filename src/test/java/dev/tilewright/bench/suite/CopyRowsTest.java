package dev.tilewright.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Mechanism;
import dev.tilewright.builder.Presets;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is measured, without a GPU. */
class CopyRowsTest {

    @Test
    void everyBuilderAsItStandsAndSwizzledTiles() {
        List<CopyRow> rows = CopyRows.defaults(Presets.CATALOG.mechanisms());
        List<String> names = rows.stream().map(CopyRow::name).toList();
        assertTrue(names.containsAll(Presets.CATALOG.mechanisms().stream().map(Mechanism::name).toList()),
                names::toString);
        assertTrue(rows.stream().anyMatch(row -> row.name().equals("tensor-copy-128b")
                && row.schedule().apply(1).get("swizzle").orElse("").equals("128B")));
        assertEquals(rows.size(), keys(rows));
    }

    @Test
    void tilesStagesAndThreadsInFiveGrids() {
        List<CopyRow> rows = CopyRows.sweep(Presets.CATALOG.mechanisms());
        assertTrue(count(rows, "cp-async-pipeline") >= 5 * 24);
        assertTrue(count(rows, "bulk-copy") >= 5 * 12);
        assertTrue(count(rows, "tensor-copy") >= 5 * 12);
        assertEquals(rows.size(), keys(rows));
        CopyRow last = rows.getLast();
        assertEquals("100 blocks", last.schedule().apply(100).gridText());
        assertEquals(10, last.schedule().apply(100).grid().orElseThrow().tilesPerBlock(1000));
    }

    private static long keys(List<CopyRow> rows) {
        return new HashSet<>(rows.stream().map(row -> List.of(row.name(), row.parameters(),
                row.schedule().apply(100))).toList()).size();
    }

    private static long count(List<CopyRow> rows, String name) {
        return rows.stream().filter(row -> row.name().equals(name)).count();
    }
}
