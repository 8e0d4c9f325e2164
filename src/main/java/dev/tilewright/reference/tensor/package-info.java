/**
 * What tensor cores compute, bit by bit: the sums of products of mma.sync and wgmma. Measured on an H200 (sm_90a):
 * native-tests/recordings/mma.jsonl.gz holds a part of it.
 */
package dev.tilewright.reference.tensor;
