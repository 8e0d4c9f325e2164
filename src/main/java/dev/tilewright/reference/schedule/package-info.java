/** Which thread runs next: in a fixed order, in parallel, or at random; and what is said when none can. */
package dev.tilewright.reference.schedule;
