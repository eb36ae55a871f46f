# Makes system calls that a model must not make and prints the error of each; 0 means that the call
# succeeded. The numbers of system calls are those of x86-64.
$| = 1;
my @calls = (
    # socket(family, type, protocol)
    ['AF_VSOCK',          41, 40, 1, 0],
    ['AF_ALG',            41, 38, 5, 0],
    ['AF_PACKET',         41, 17, 3, 0x0300],
    ['AF_XDP',            41, 44, 3, 0],
    ['AF_BLUETOOTH',      41, 31, 3, 1],
    ['raw IPv4',          41, 2,  3, 1],
    ['raw IPv6',          41, 10, 3, 58],
    ['io_uring_setup',    425, 8, "\0" x 256],
    ['io_uring_enter',    426, 0, 1, 0, 0, 0, 0],
    ['io_uring_register', 427, 0, 0, 0, 0],
    ['mincore',           27,  0, 4096, "\0" x 8],
    ['cachestat',         451, 0, "\0" x 16, "\0" x 40, 0],
    ['fadvise64',         221, 0, 0, 0, 4],
    ['readahead',         187, 0, 0, 4096],
    ['preadv2',           327, 0, 0, 0, 0, 0, 8],
    ['io_setup',          206, 1, "\0" x 8],
    ['io_submit',         209, 0, 0, 0],
    ['bpf',               321, 0, "\0" x 128, 128],
    ['perf_event_open',   298, "\0" x 128, 0, -1, -1, 0],
    ['userfaultfd',       323, 0],
    ['ptrace',            101, 0, 0, 0, 0],
    ['process_vm_readv',  310, 1, 0, 0, 0, 0, 0],
    ['keyctl',            250, 0, -3, 0],
    ['add_key',           248, "user\0", "k\0", "v", 1, -3],
    ['mount',             165, "none\0", "/tmp\0", "tmpfs\0", 0, 0],
    ['fsopen',            430, "tmpfs\0", 0],
    ['open_tree',         428, -100, "/\0", 0],
    ['unshare user',      272, 0x10000000],
    ['unshare network',   272, 0x40000000],
    ['setns',             308, 0, 0],
    ['clone3',            435, 0, 0],
    ['pivot_root',        155, "/tmp\0", "/tmp\0"],
    ['chroot',            161, "/tmp\0"],
    ['open_by_handle_at', 304, -100, "\0" x 16, 0],
    ['init_module',       175, 0, 0, "\0"],
    ['kexec_load',        246, 0, 0, 0, 0],
    ['reboot',            169, 0, 0, 0],
    ['swapon',            167, "/tmp\0", 0],
    ['settimeofday',      164, 0, 0],
    ['sethostname',       170, "evil\0", 4],
    ['iopl',              172, 3],
    ['syslog',            103, 3, "\0" x 64, 64],
    ['personality',       135, 0x0040000],
    ['mknod device',      133, "/tmp/device\0", 0x2180, 0x103],
);
for (@calls) {
    my ($name, $number, @arguments) = @$_;
    my $result = @arguments == 1 ? syscall($number, $arguments[0])
        : @arguments == 2 ? syscall($number, $arguments[0], $arguments[1])
        : @arguments == 3 ? syscall($number, $arguments[0], $arguments[1], $arguments[2])
        : @arguments == 4 ? syscall($number, $arguments[0], $arguments[1], $arguments[2], $arguments[3])
        : @arguments == 5 ? syscall($number, $arguments[0], $arguments[1], $arguments[2], $arguments[3], $arguments[4])
        : syscall($number, $arguments[0], $arguments[1], $arguments[2], $arguments[3], $arguments[4], $arguments[5]);
    print "$name: ", ($result == -1 ? $! + 0 : 0), "\n";
}
