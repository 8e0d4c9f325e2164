/**
 * The runtime beside C++ that does the same ({@code native-tests/rivals}), turn by turn in one run:
 * {@link dev.tilewright.gputest.race.RuntimeRace}. No tests but for what needs no GPU: {@code native-tests/make-logs
 * FOLDER runtime} starts it from a bundle.
 */
package dev.tilewright.gputest.race;
