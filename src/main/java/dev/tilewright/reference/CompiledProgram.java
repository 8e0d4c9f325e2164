package dev.tilewright.reference;

import java.util.List;

/**
 * A tile program with its parameters bound, ready to run any number of blocks.
 *
 * @param slots longs that one thread needs
 * @param sharedBytes bytes of shared memory
 * @param barriers names of the mbarriers, in order of their numbers
 * @param ops operations; the last ends the thread
 */
record CompiledProgram(String name, int threads, int slots, int sharedBytes, List<String> barriers, Op[] ops) {
}
