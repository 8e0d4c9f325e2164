package dev.tilewright.tile.lower;

/** A block's threads cannot hold a tile; more of them may. */
final class TooLargeException extends IllegalArgumentException {
    TooLargeException(String message) {
        super(message);
    }
}
