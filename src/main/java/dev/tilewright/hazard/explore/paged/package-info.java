/** What states of an exploration are made of: numbers and sets that copies share, page by page, until one changes. */
package dev.tilewright.hazard.explore.paged;
