/* guest_stack.h: adjusts what the guest program sees of its processor and environment. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* To be called before the guest's first instruction. Restores the names of hidden environment
 * variables. With `hwcap_mask`, hides processor features outside the mask and fixes the AT_RANDOM
 * bytes. Returns false when the auxiliary vector is not found. */
bool guest_prepare_stack(uint64_t guest_base, const uint64_t* hwcap_mask);
