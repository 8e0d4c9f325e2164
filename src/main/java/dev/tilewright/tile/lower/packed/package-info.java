/** Products whose right factor is loaded in numbers of 4 or 8 bits, which threads take apart on the way. */
package dev.tilewright.tile.lower.packed;
