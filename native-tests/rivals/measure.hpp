// The commands that measure kernels of the catalogue and products.
#pragma once

#include "modules.hpp"
#include "rivals.hpp"

void kernel(const Gpu& gpu, Modules& modules, Words& words);
void product(const Gpu& gpu, Modules& modules, Words& words);
// Frees what is kept of the last product.
void forget_product();
// Says what kernels there are.
void list();
// Frees the device memory that is kept from command to command.
void release();
