/** Element types and their bits, swizzles, shapes and strides: arithmetic without any device. */
package dev.tilewright.layout;
