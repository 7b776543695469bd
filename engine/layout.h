/*
 * What has to be known once about a guest's kernel before its memory can be read: its symbols and where the members of its
 * structs lie. All of it comes from the RAM of a stopped machine, so it holds for every other stop of the same boot.
 * `struct guest` is that knowledge applied to one stop.
 */
#ifndef ENGINE_LAYOUT_H
#define ENGINE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/ksyms.h"
#include "engine/memory.h"
#include "engine/types.h"

/* X(id, struct, member): every member that is read anywhere. */
#define LAYOUT_MEMBERS(X) \
	X(TASK_TASKS, "task_struct", "tasks.next") \
	X(TASK_STATE, "task_struct", "__state") \
	X(TASK_EXIT_STATE, "task_struct", "exit_state") \
	X(TASK_EXIT_CODE, "task_struct", "exit_code") \
	X(TASK_FLAGS, "task_struct", "flags") \
	X(TASK_PID, "task_struct", "pid") \
	X(TASK_TGID, "task_struct", "tgid") \
	X(TASK_PARENT, "task_struct", "real_parent") \
	X(TASK_LEADER, "task_struct", "group_leader") \
	X(TASK_MM, "task_struct", "mm") \
	X(TASK_START, "task_struct", "start_boottime") \
	X(TASK_UTIME, "task_struct", "utime") \
	X(TASK_STIME, "task_struct", "stime") \
	X(TASK_COMM, "task_struct", "comm") \
	X(TASK_CRED, "task_struct", "cred") \
	X(TASK_FS, "task_struct", "fs") \
	X(TASK_FILES, "task_struct", "files") \
	X(TASK_SIGNAL, "task_struct", "signal") \
	X(TASK_NSPROXY, "task_struct", "nsproxy") \
	X(TASK_CGROUPS, "task_struct", "cgroups") \
	X(TASK_THREAD_NODE, "task_struct", "thread_node.next") \
	X(TASK_THREAD_PID, "task_struct", "thread_pid") \
	X(TASK_STACK, "task_struct", "stack") \
	X(TASK_SP, "task_struct", "thread.sp") \
	X(TASK_FSBASE, "task_struct", "thread.fsbase") \
	X(TASK_PENDING, "task_struct", "pending.signal.sig[0]") \
	X(TASK_PENDING_LIST, "task_struct", "pending.list.next") \
	X(TASK_BLOCKED, "task_struct", "blocked.sig[0]") \
	X(TASK_VFORK_DONE, "task_struct", "vfork_done") \
	X(SIGNAL_FLAGS, "signal_struct", "flags") \
	X(SIGNAL_SHARED, "signal_struct", "shared_pending.signal.sig[0]") \
	X(SIGNAL_SHARED_LIST, "signal_struct", "shared_pending.list.next") \
	X(SIGQUEUE_NEXT, "sigqueue", "list.next") \
	X(SIGQUEUE_INFO, "sigqueue", "info") \
	X(SIGNAL_THREADS, "signal_struct", "thread_head.next") \
	X(CRED_UID, "cred", "uid.val") \
	X(PID_LEVEL, "pid", "level") \
	X(PID_NUMBERS, "pid", "numbers") \
	X(UPID_NR, "upid", "nr") \
	X(CSS_SET_CGROUP, "css_set", "dfl_cgrp") \
	X(CGROUP_NODE, "cgroup", "kn") \
	X(KERNFS_NAME, "kernfs_node", "name") \
	X(KERNFS_PARENT, "kernfs_node", "parent") \
	X(MM_TREE, "mm_struct", "mm_mt.ma_root") \
	X(MM_PGD, "mm_struct", "pgd") \
	X(MM_TOTAL, "mm_struct", "total_vm") \
	X(MM_START_BRK, "mm_struct", "start_brk") \
	X(MM_BRK, "mm_struct", "brk") \
	X(MM_START_STACK, "mm_struct", "start_stack") \
	X(MM_ARG_START, "mm_struct", "arg_start") \
	X(MM_ARG_END, "mm_struct", "arg_end") \
	X(MM_ENV_START, "mm_struct", "env_start") \
	X(MM_ENV_END, "mm_struct", "env_end") \
	X(MM_EXE, "mm_struct", "exe_file") \
	X(MM_VDSO, "mm_struct", "context.vdso") \
	X(MAPLE_PARENT, "maple_node", "parent") \
	X(MAPLE64_PIVOT, "maple_range_64", "pivot") \
	X(MAPLE64_SLOT, "maple_range_64", "slot") \
	X(MAPLE_ARANGE_PIVOT, "maple_arange_64", "pivot") \
	X(MAPLE_ARANGE_SLOT, "maple_arange_64", "slot") \
	X(VMA_START, "vm_area_struct", "vm_start") \
	X(VMA_END, "vm_area_struct", "vm_end") \
	X(VMA_FLAGS, "vm_area_struct", "vm_flags") \
	X(VMA_PGOFF, "vm_area_struct", "vm_pgoff") \
	X(VMA_FILE, "vm_area_struct", "vm_file") \
	X(VMA_OPS, "vm_area_struct", "vm_ops") \
	X(VMA_PRIVATE, "vm_area_struct", "vm_private_data") \
	X(SPECIAL_NAME, "vm_special_mapping", "name") \
	X(FS_ROOT_MNT, "fs_struct", "root.mnt") \
	X(FS_ROOT_DENTRY, "fs_struct", "root.dentry") \
	X(FS_PWD_MNT, "fs_struct", "pwd.mnt") \
	X(FS_PWD_DENTRY, "fs_struct", "pwd.dentry") \
	X(FILES_FDT, "files_struct", "fdt") \
	X(FDT_MAX, "fdtable", "max_fds") \
	X(FDT_FD, "fdtable", "fd") \
	X(FILE_MNT, "file", "f_path.mnt") \
	X(FILE_DENTRY, "file", "f_path.dentry") \
	X(FILE_INODE, "file", "f_inode") \
	X(FILE_POS, "file", "f_pos") \
	X(FILE_FLAGS, "file", "f_flags") \
	X(FILE_MODE, "file", "f_mode") \
	X(FILE_PRIVATE, "file", "private_data") \
	X(DENTRY_PARENT, "dentry", "d_parent") \
	X(DENTRY_NAME, "dentry", "d_name.name") \
	X(DENTRY_NAME_SIZE, "dentry", "d_name.len") \
	X(DENTRY_INODE, "dentry", "d_inode") \
	X(DENTRY_HASHED, "dentry", "d_hash.pprev") \
	X(DENTRY_OPS, "dentry", "d_op") \
	X(DENTRY_FLAGS, "dentry", "d_flags") \
	X(DENTRY_CHILD, "dentry", "d_child.next") \
	X(DENTRY_SUBDIRS, "dentry", "d_subdirs.next") \
	X(DENTRY_FSDATA, "dentry", "d_fsdata") \
	X(DOPS_DNAME, "dentry_operations", "d_dname") \
	X(NSOPS_NAME, "proc_ns_operations", "name") \
	X(MOUNT_PARENT, "mount", "mnt_parent") \
	X(MOUNT_POINT, "mount", "mnt_mountpoint") \
	X(MOUNT_MNT, "mount", "mnt.mnt_root") \
	X(MOUNT_LIST, "mount", "mnt_list.next") \
	X(NSPROXY_MNT, "nsproxy", "mnt_ns") \
	X(MNTNS_LIST, "mnt_namespace", "list.next") \
	X(INODE_MODE, "inode", "i_mode") \
	X(INODE_NUMBER, "inode", "i_ino") \
	X(INODE_SIZE, "inode", "i_size") \
	X(INODE_UID, "inode", "i_uid.val") \
	X(INODE_SB, "inode", "i_sb") \
	X(INODE_MAPPING, "inode", "i_mapping") \
	X(INODE_LINK, "inode", "i_link") \
	X(SB_MAGIC, "super_block", "s_magic") \
	X(SB_DEVICE, "super_block", "s_dev") \
	X(MAPPING_PAGES, "address_space", "i_pages.xa_head") \
	X(XA_SHIFT, "xa_node", "shift") \
	X(XA_SLOTS, "xa_node", "slots") \
	X(PAGE_INDEX, "page", "index") \
	X(SOCKET_SK, "socket", "sk") \
	X(SOCKET_TYPE, "socket", "type") \
	X(SOCK_FAMILY, "sock", "__sk_common.skc_family") \
	X(SOCK_STATE, "sock", "__sk_common.skc_state") \
	X(SOCK_REMOTE, "sock", "__sk_common.skc_daddr") \
	X(SOCK_LOCAL, "sock", "__sk_common.skc_rcv_saddr") \
	X(SOCK_REMOTE_PORT, "sock", "__sk_common.skc_dport") \
	X(SOCK_LOCAL_PORT, "sock", "__sk_common.skc_num") \
	X(SOCK_REMOTE6, "sock", "__sk_common.skc_v6_daddr") \
	X(SOCK_LOCAL6, "sock", "__sk_common.skc_v6_rcv_saddr") \
	X(SOCK_PROTOCOL, "sock", "sk_protocol") \
	X(SOCK_BACKLOG, "sock", "sk_ack_backlog") \
	X(SOCK_RMEM, "sock", "sk_backlog.rmem_alloc.counter") \
	X(TCP_WRITE_SEQ, "tcp_sock", "write_seq") \
	X(TCP_SND_UNA, "tcp_sock", "snd_una") \
	X(TCP_RCV_NXT, "tcp_sock", "rcv_nxt") \
	X(TCP_COPIED_SEQ, "tcp_sock", "copied_seq") \
	X(UNIX_ADDR, "unix_sock", "addr") \
	X(UNIX_PEER, "unix_sock", "peer") \
	X(UNIX_ADDR_SIZE, "unix_address", "len") \
	X(UNIX_ADDR_NAME, "unix_address", "name") \
	X(MODULE_LIST, "module", "list.next") \
	X(MODULE_NAME, "module", "name") \
	X(MODULE_BASE, "module", "core_layout.base") \
	X(MODULE_SIZE, "module", "core_layout.size") \
	X(MODULE_KALLSYMS, "module", "kallsyms") \
	X(MODULE_ORC_COUNT, "module", "arch.num_orcs") \
	X(MODULE_ORC_WHERE, "module", "arch.orc_unwind_ip") \
	X(MODULE_ORC_HOW, "module", "arch.orc_unwind") \
	X(KALLSYMS_LIST, "mod_kallsyms", "symtab") \
	X(KALLSYMS_COUNT, "mod_kallsyms", "num_symtab") \
	X(KALLSYMS_NAMES, "mod_kallsyms", "strtab") \
	X(MODULE_TYPES_LIST, "btf_module", "list.next") \
	X(MODULE_TYPES_MODULE, "btf_module", "module") \
	X(MODULE_TYPES_BTF, "btf_module", "btf") \
	X(BTF_DATA, "btf", "data") \
	X(BTF_DATA_SIZE, "btf", "data_size") \
	X(INODE_RDEV, "inode", "i_rdev")

/* Members of structs of the overlay module, known only when it was loaded (layout.has_overlay). */
#define LAYOUT_OVERLAY_MEMBERS(X) \
	X(OVL_INODE_VFS, "ovl_inode", "vfs_inode") \
	X(OVL_INODE_UPPER, "ovl_inode", "__upperdentry") \
	X(OVL_ENTRY_COUNT, "ovl_entry", "numlower") \
	X(OVL_ENTRY_LIST, "ovl_entry", "lowerstack") \
	X(OVL_PATH_DENTRY, "ovl_path", "dentry")

/* Members that say what a page is used for, known only when all of them are found (layout.has_pages). */
#define LAYOUT_PAGE_MEMBERS(X) \
	X(PAGE_FLAGS, "page", "flags") \
	X(PAGE_HEAD, "page", "compound_head") \
	X(PAGE_TYPE, "page", "page_type") \
	X(PAGE_USERS, "page", "_refcount.counter") \
	X(PAGE_MAPPING, "page", "mapping") \
	X(SLAB_CACHE, "slab", "slab_cache") \
	X(CACHE_NAME, "kmem_cache", "name") \
	X(MAPPING_HOST, "address_space", "host") \
	X(INODE_DENTRY, "inode", "i_dentry.first") \
	X(DENTRY_ALIAS, "dentry", "d_u.d_alias")

/* Where the kernel keeps registers for numbers with a point, known only when all are found (layout.has_fpu). */
#define LAYOUT_FPU_MEMBERS(X) \
	X(TASK_FPSTATE, "task_struct", "thread.fpu.fpstate") \
	X(TASK_THREAD_FLAGS, "task_struct", "thread_info.flags") \
	X(FPSTATE_REGS, "fpstate", "regs")

enum layout_member {
#define LAYOUT_ENUM(id, type, path) LAYOUT_##id,
	LAYOUT_MEMBERS(LAYOUT_ENUM) LAYOUT_OVERLAY_MEMBERS(LAYOUT_ENUM) LAYOUT_PAGE_MEMBERS(LAYOUT_ENUM)
		LAYOUT_FPU_MEMBERS(LAYOUT_ENUM)
#undef LAYOUT_ENUM
			LAYOUT_MEMBER_COUNT
};

struct layout {
	struct ksyms *ksyms;
	struct types *types;
	struct type_member members[LAYOUT_MEMBER_COUNT];
	uint64_t kernel_root;                         /* physical address of the kernel's own top page table */
	uint64_t init_task;                           /* addresses */
	uint64_t current_task;                        /* of the processor's pointer to its current task */
	uint64_t vmemmap;                             /* of struct page 0 */
	uint32_t page_size, upid_size, ovl_path_size; /* sizes of structs */
	bool has_overlay, has_pages, has_fpu;
};

/*
 * Reads symbols, types and layout out of a stop. ERR_QEMU when there is no Linux kernel in it that is understood (5-level
 * page tables are not), with the missing piece named. About 60 ms.
 */
struct layout *layout_create(const struct stop *stop, struct err *err);
void layout_destroy(struct layout *layout);

/* One stop, read with a layout. Both are borrowed and must outlive it. */
struct guest {
	const struct layout *layout;
	const struct stop *stop;
	struct space kernel;
};

struct guest guest_of(const struct layout *layout, const struct stop *stop);

/* Reads an integer or pointer member (at most 8 bytes, not sign-extended) of the struct at address. False: not in memory. */
bool guest_get(const struct guest *guest, enum layout_member member, uint64_t address, uint64_t *ret_value);

/* The same; 0 when it is not in memory. */
uint64_t guest_value(const struct guest *guest, enum layout_member member, uint64_t address);

/* Where in its struct a member lies. */
uint64_t guest_offset(const struct guest *guest, enum layout_member member);

/* Notices that a walk along a list goes round without coming back to its head: `struct guest_round round = {0};` at its start. */
struct guest_round {
	uint64_t mark;
	size_t steps, next;
};

/* True when the walk has been at entry before; found after at most twice as many steps as the round has entries. */
bool guest_round_again(struct guest_round *round, uint64_t entry);

/* A NUL-terminated kernel string, cut at max; "" when it is not in memory. False then. */
bool guest_str(const struct guest *guest, uint64_t address, char *out, size_t max);

#endif
