/** What all threads of a block work out together. */
package dev.tilewright.builder.collective;
