/* guest_stack.h: what the guest program sees of its processor. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Before the guest's first instruction: hides processor features outside the mask and fixes the
 * random bytes. False when the vector is not found. */
bool guest_pin_auxiliary(uint64_t guest_base, uint64_t hwcap_mask);
