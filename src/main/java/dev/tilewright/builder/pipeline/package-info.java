/**
 * Rings of stages in shared memory as objects: who fills, who waits for whom, with the barriers and parities that
 * follow from it.
 */
package dev.tilewright.builder.pipeline;
