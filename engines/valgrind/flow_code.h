/* flow_code.h: instrumentation that writes a flow record for each executed block. */
#pragma once

#include "core.h"

/* Sets whether instrumented code counts instructions down to the next sample. */
void flow_code_set_samples(Bool wanted);

IRSB* flow_code_instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                           const VexGuestExtents* extents, const VexArchInfo* host,
                           IRType guest_word, IRType host_word);
