/* plugin_api.h: the part of QEMU's plugin interface, version 1, that the engine uses. No binary
 * package ships QEMU's own header; names, types and values are those of its documentation. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))
#define QEMU_PLUGIN_VERSION 1

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

typedef struct qemu_info_t {
  const char* target_name;
  struct {
    int min;
    int cur;
  } version;
  bool system_emulation;
  union {
    struct {
      int smp_vcpus;
      int max_vcpus;
    } system;
  };
} qemu_info_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

typedef void (*qemu_plugin_tb_trans_fn)(qemu_plugin_id_t id, struct qemu_plugin_tb* tb);
typedef void (*qemu_plugin_vcpu_fn)(qemu_plugin_id_t id, unsigned vcpu);
typedef void (*qemu_plugin_exec_fn)(unsigned vcpu, void* data);
typedef void (*qemu_plugin_mem_fn)(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address,
                                   void* data);
typedef void (*qemu_plugin_exit_fn)(qemu_plugin_id_t id, void* data);
typedef void (*qemu_plugin_call_fn)(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1,
                                    uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6,
                                    uint64_t a7, uint64_t a8);
typedef void (*qemu_plugin_call_end_fn)(qemu_plugin_id_t id, unsigned vcpu, int64_t number,
                                        int64_t result);

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_fn function);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_tb_trans_fn function);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb* tb, qemu_plugin_exec_fn function,
                                          enum qemu_plugin_cb_flags flags, void* data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn* insn,
                                            qemu_plugin_exec_fn function,
                                            enum qemu_plugin_cb_flags flags, void* data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn* insn, qemu_plugin_mem_fn function,
                                      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
                                      void* data);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_plugin_call_fn function);
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id,
                                              qemu_plugin_call_end_fn function);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_exit_fn function, void* data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb* tb);
struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb* tb, size_t index);
const void* qemu_plugin_insn_data(const struct qemu_plugin_insn* insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn* insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn* insn);
void* qemu_plugin_insn_haddr(const struct qemu_plugin_insn* insn);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
