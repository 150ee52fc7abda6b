/* job_control.c: restores the kernel's default action for job control signals. */
#include "job_control.h"

static const Int kSignals[] = {VKI_SIGTSTP, VKI_SIGTTIN, VKI_SIGTTOU};
enum { kCount = sizeof kSignals / sizeof kSignals[0] };

/* The core's own actions, to be restored when the program installs a handler. */
static vki_sigaction_toK_t caught[kCount];

static Bool Classify(Int signal, vki_sigaction_toK_t* action) {
  return !sr_isError(VG_(do_syscall)(__NR_rt_sigaction, (UWord)signal, 0, (UWord)action,
                                     sizeof action->sa_mask, 0, 0, 0, 0));
}

static void Set(Int signal, const vki_sigaction_toK_t* action) {
  VG_(do_syscall)(__NR_rt_sigaction, (UWord)signal, (UWord)action, 0, sizeof action->sa_mask, 0, 0,
                  0, 0);
}

static Bool IsOwnHandler(const vki_sigaction_toK_t* action) {
  return action->ksa_handler != VKI_SIG_DFL && action->ksa_handler != VKI_SIG_IGN;
}

/* The program keeps the default action, so the kernel must apply it. */
static void LeaveToKernel(Int at) {
  vki_sigaction_toK_t now;
  if (!Classify(kSignals[at], &now) || !IsOwnHandler(&now)) return;
  caught[at] = now;
  vki_sigaction_toK_t standard;
  VG_(memset)(&standard, 0, sizeof standard);
  standard.ksa_handler = VKI_SIG_DFL;
  Set(kSignals[at], &standard);
}

/* The core calls rt_sigaction only where its new action differs from the one it last set. */
static void GiveBackToCore(Int at) {
  vki_sigaction_toK_t now;
  if (!Classify(kSignals[at], &now) || now.ksa_handler != VKI_SIG_DFL) return;
  if (IsOwnHandler(&caught[at])) Set(kSignals[at], &caught[at]);
}

void job_control_begin(void) {
  for (Int at = 0; at < kCount; ++at) LeaveToKernel(at);
}

void job_control_after_sigaction(UWord signal, const UWord* action) {
  for (Int at = 0; at < kCount; ++at) {
    if (action == NULL || signal != (UWord)kSignals[at]) continue;
    if (*action == (UWord)VKI_SIG_DFL) {
      LeaveToKernel(at);
    } else if (*action != (UWord)VKI_SIG_IGN) {
      GiveBackToCore(at);
    }
  }
}
