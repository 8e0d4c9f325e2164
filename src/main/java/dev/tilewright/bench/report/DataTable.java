package dev.tilewright.bench.report;

import java.util.List;

/**
 * A table of the page. Each row has as many cells as the head; a cell may be empty.
 *
 * @param head names of the columns, with units
 */
record DataTable(List<String> head, List<List<String>> rows) { }
