/**
 * What all rooms share: the exceptions for a request that is wrong and for a requirement that is missing, and how
 * progress is told.
 */
package dev.tilewright;
