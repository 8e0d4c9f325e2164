/** JSON objects that people and other programs write, read strictly and field by field. */
package dev.tilewright.json;
