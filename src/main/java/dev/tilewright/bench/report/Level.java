package dev.tilewright.bench.report;

/** A value that a line across the chart marks, such as the memory's rating. */
record Level(String name, double value) { }
