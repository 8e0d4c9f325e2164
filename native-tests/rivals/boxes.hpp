// How an array of f32 is cut into boxes, for both sides.
#pragma once

struct Boxes {
    // How many boxes there are in each dimension, innermost first.
    unsigned counts[5];
    unsigned total;
};
