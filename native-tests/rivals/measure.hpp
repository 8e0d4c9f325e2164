// The commands that measure kernels of the catalogue.
#pragma once

#include "modules.hpp"
#include "rivals.hpp"

void kernel(const Gpu& gpu, Modules& modules, Words& words);
// Says what kernels there are.
void list();
// Frees the device memory that is kept from command to command.
void release();
