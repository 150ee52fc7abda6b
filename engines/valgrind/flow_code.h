/* flow_code.h: records of the flow that are added to the translation of a superblock. */
#pragma once

#include "core.h"

/* Whether samples are wanted. */
void flow_code_set_samples(Bool wanted);

IRSB* flow_code_instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                           const VexGuestExtents* extents, const VexArchInfo* host,
                           IRType guest_word, IRType host_word);
