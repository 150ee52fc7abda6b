/* guest_stack.h: what the guest program sees of its processor and of its environment. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Before the guest's first instruction: shows hidden variables under their own names and, where
 * there is a mask, hides processor features outside of it and fixes the random bytes. False when
 * the auxiliary vector is not found. */
bool guest_prepare_stack(uint64_t guest_base, const uint64_t* hwcap_mask);
