package dev.tilewright.bench.report;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/**
 * A chart of the page: what is drawn, in the numbers that it is drawn from. {@code charts.js} draws it; the page also
 * says it as a table, for those who cannot see it, and where no script runs.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
@JsonSubTypes({
    @JsonSubTypes.Type(value = LineChart.class, name = "line"),
    @JsonSubTypes.Type(value = BarChart.class, name = "bar"),
    @JsonSubTypes.Type(value = HeatMap.class, name = "heat"),
    @JsonSubTypes.Type(value = Roofline.class, name = "roofline")})
sealed interface Chart permits LineChart, BarChart, HeatMap, Roofline {

    /** Names the chart's element in the page; unique there. */
    String id();

    /** What is shown, in a few words. */
    String title();

    /** What is compared with what, in which units, and how to read it. */
    String caption();

    /** What the chart shows, as a table of numbers. */
    DataTable table();
}
