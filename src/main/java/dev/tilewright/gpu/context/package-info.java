/** Contexts: every driver call goes through one, and what was taken from it goes back with it. */
package dev.tilewright.gpu.context;
