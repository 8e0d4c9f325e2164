package dev.tilewright.bench.report;

import java.util.List;

/**
 * What the page shows, from top to bottom.
 *
 * @param lead one sentence below the title
 * @param counts the most important numbers
 * @param facts what the numbers belong to: names and values
 */
record Page(String title, String lead, List<Notice> notices, List<Count> counts, List<Fact> facts,
        List<Section> sections, String footer) {

    /** What has to be known before a number is believed. @param bad whether numbers are wrong */
    record Notice(String text, List<String> items, boolean bad) { }

    /** A number and what it counts. @param mood {@code good}, {@code bad} or nothing */
    record Count(String value, String name, String mood) { }

    /** A fact about the machine or the run. */
    record Fact(String name, String value) { }

    /** One suite. @param about what it measures and against what */
    record Section(String id, String title, String about, List<Chart> charts, List<TableOfRows> tables) { }

    /** A table that is a result of its own, not another form of a chart. */
    record TableOfRows(String title, boolean open, DataTable table) { }
}
