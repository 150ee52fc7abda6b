/* job_control.c: the default action is left to the kernel. */
#include "job_control.h"

static const Int kSignals[] = {VKI_SIGTSTP, VKI_SIGTTIN, VKI_SIGTTOU};
enum { kCount = sizeof kSignals / sizeof kSignals[0] };

/* What the core had set, for the time when the program sets a handler of its own. */
static vki_sigaction_toK_t caught[kCount];

static Bool Ask(Int signal, vki_sigaction_toK_t* action) {
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

/* The program leaves the signal alone: the kernel shall too. */
static void LeaveToKernel(Int at) {
  vki_sigaction_toK_t now;
  if (!Ask(kSignals[at], &now) || !IsOwnHandler(&now)) return;
  caught[at] = now;
  vki_sigaction_toK_t standard;
  VG_(memset)(&standard, 0, sizeof standard);
  standard.ksa_handler = VKI_SIG_DFL;
  Set(kSignals[at], &standard);
}

/* The core changes only what differs from what it had set itself. */
static void GiveBackToCore(Int at) {
  vki_sigaction_toK_t now;
  if (!Ask(kSignals[at], &now) || now.ksa_handler != VKI_SIG_DFL) return;
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
