/**
 * Whether the runtime lasts: a million launches from many threads, every byte checked and memory watched. The program
 * is {@link dev.tilewright.gputest.soak.Soak} ({@code native-tests/make-logs FOLDER soak}); small ones are tests.
 */
package dev.tilewright.gputest.soak;
