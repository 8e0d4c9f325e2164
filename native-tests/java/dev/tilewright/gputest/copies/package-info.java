/** How fast copies between the host and a GPU are, by the kind and the size of the host memory. */
package dev.tilewright.gputest.copies;
