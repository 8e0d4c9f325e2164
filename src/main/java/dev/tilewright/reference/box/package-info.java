/** The boxes that tensor copies move: which elements they have, where those lie, and moving or reducing them. */
package dev.tilewright.reference.box;
