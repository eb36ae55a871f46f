interface Rule {
  readonly names: readonly string[];
  readonly action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO';
  readonly args?: readonly {
    index: number;
    value: number;
    valueTwo?: number;
    op: 'SCMP_CMP_EQ' | 'SCMP_CMP_MASKED_EQ';
  }[];
  readonly errnoRet?: number;
}

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

/**
 * The system calls that an unprivileged process of a container may make: Docker's default list,
 * without calls that only capabilities unlock, without io_uring, without 32-bit calls, which could
 * create sockets despite the rule below, and without the calls that examine the page cache.
 */
const allowed = words(`
  accept accept4 access alarm arch_prctl bind brk capget capset chdir chmod chown clock_getres clock_gettime
  clock_nanosleep close close_range connect copy_file_range creat dup dup2 dup3 epoll_create epoll_create1 epoll_ctl
  epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 execve execveat exit exit_group faccessat faccessat2
  fallocate fanotify_mark fchdir fchmod fchmodat fchmodat2 fchown fchownat fcntl fdatasync fgetxattr flistxattr flock fork
  fremovexattr fsetxattr fstat fstatfs fsync ftruncate futex futex_requeue futex_wait futex_waitv futex_wake futimesat
  get_mempolicy get_robust_list get_thread_area getcpu getcwd getdents getdents64 getegid geteuid getgid getgroups
  getitimer getpeername getpgid getpgrp getpid getppid getpriority getrandom getresgid getresuid getrlimit getrusage getsid
  getsockname getsockopt gettid gettimeofday getuid getxattr inotify_add_watch inotify_init inotify_init1 inotify_rm_watch
  ioctl ioprio_get ioprio_set kill
  landlock_add_rule landlock_create_ruleset landlock_restrict_self lchown lgetxattr link linkat listen listxattr llistxattr
  lremovexattr lseek lsetxattr lstat madvise mbind membarrier memfd_create mkdir mkdirat mknod mknodat mlock mlock2
  mlockall mmap mprotect mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink mremap msgctl msgget msgrcv
  msgsnd msync munlock munlockall munmap nanosleep newfstatat open openat openat2 pause pidfd_open pidfd_send_signal pipe
  pipe2 pkey_alloc pkey_free pkey_mprotect poll ppoll prctl pread64 preadv prlimit64 process_mrelease
  pselect6 pwrite64 pwritev pwritev2 read readlink readlinkat readv recvfrom recvmmsg recvmsg remap_file_pages
  removexattr rename renameat renameat2 restart_syscall rmdir rseq rt_sigaction rt_sigpending rt_sigprocmask
  rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sched_get_priority_max
  sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval
  sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield seccomp select semctl semget semop
  semtimedop sendfile sendmmsg sendmsg sendto set_mempolicy set_robust_list set_thread_area set_tid_address setfsgid
  setfsuid setgid setgroups setitimer setpgid setpriority setregid setresgid setresuid setreuid setrlimit setsid setsockopt
  setuid setxattr shmat shmctl shmdt shmget shutdown sigaltstack signalfd signalfd4 splice stat statfs statx
  symlink symlinkat sync sync_file_range syncfs sysinfo tee tgkill time timer_create timer_delete timer_getoverrun
  timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime times tkill truncate umask uname unlink
  unlinkat utime utimensat utimes vfork vmsplice wait4 waitid write writev`);

/**
 * AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK. Listed by name, because a rule cannot express "all but
 * AF_VSOCK and AF_ALG" for one argument.
 */
const families = [1, 2, 10, 16];

/** The CLONE_NEW* flags: new namespaces are a way to capabilities. */
const newNamespaces = 0x7e020000;

/**
 * The allowed arguments of `personality`: PER_LINUX and PER_LINUX32, each without and with UNAME26,
 * and 0xffffffff, which only queries.
 */
const personalities = [0x0, 0x8, 0x20000, 0x20008, 0xffffffff];

const ENOSYS = 38;

/**
 * Calls that reveal whether a page of a file is in the page cache, or change that. Sandboxes whose
 * images share layers share the pages of those layers, so these calls would carry hidden inputs
 * from one sandbox to another. With RWF_NOWAIT, `preadv2` and `io_submit` read only cached pages.
 * ENOSYS makes a C library do without the call.
 */
const pageCacheCalls = words(`
  cachestat fadvise64 io_cancel io_destroy io_getevents io_pgetevents io_setup io_submit mincore preadv2 readahead`);

const rules: readonly Rule[] = [
  { names: allowed, action: 'SCMP_ACT_ALLOW' },
  ...families.map((value): Rule => ({
    names: ['socket', 'socketpair'],
    action: 'SCMP_ACT_ALLOW',
    args: [{ index: 0, value, op: 'SCMP_CMP_EQ' }],
  })),
  ...personalities.map((value): Rule => ({
    names: ['personality'],
    action: 'SCMP_ACT_ALLOW',
    args: [{ index: 0, value, op: 'SCMP_CMP_EQ' }],
  })),
  {
    names: ['clone'],
    action: 'SCMP_ACT_ALLOW',
    args: [{ index: 0, value: newNamespaces, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }],
  },
  // its flags are in memory, which no filter can read; ENOSYS makes a C library fall back to clone
  { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
  { names: pageCacheCalls, action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
];

/**
 * The seccomp profile of models, in the form that the engine takes in `SecurityOpt`:
 * `seccomp=<this>`. Refuses every call that it does not name.
 */
export const seccompProfile = JSON.stringify({
  defaultAction: 'SCMP_ACT_ERRNO',
  defaultErrnoRet: 1,
  archMap: [
    { architecture: 'SCMP_ARCH_X86_64', subArchitectures: [] },
    { architecture: 'SCMP_ARCH_AARCH64', subArchitectures: [] },
  ],
  syscalls: rules,
});
