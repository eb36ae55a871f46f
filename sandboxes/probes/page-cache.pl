# Tries to learn which pages of a file, one every stride bytes, are in the page cache. It uses the
# system calls that reveal this (prints the error of each; 0 means that the call succeeded), and
# whether the kernel had to read from disk when a page was touched (prints one bit per page). The
# numbers of system calls are those of x86-64. Arguments: the file, the stride, the number of pages.
$| = 1;
my ($path, $stride, $count) = @ARGV;
open(my $file, '<', $path) or die "$path: $!";
my $size = -s $file;
my $map = syscall(9, 0, $size, 1, 1, fileno($file), 0);
my $buffer = "\0" x 8;
my $vector = pack('QQ', unpack('Q', pack('p', $buffer)), 1);
my @calls = (
    ['mincore',   27,  $map, $size, "\0" x ($size / 4096 + 1)],
    ['cachestat', 451, fileno($file), pack('QQ', 0, $size), "\0" x 40, 0],
    # RWF_NOWAIT
    ['preadv2',   327, fileno($file), $vector, 1, 0, 0, 8],
    ['fadvise64', 221, fileno($file), 0, 0, 0],
    ['readahead', 187, fileno($file), $size - 4096, 4096],
    ['io_setup',  206, 1, "\0" x 8],
);
for (@calls) {
    my ($name, $number, @given) = @$_;
    push @given, 0 while @given < 6;
    my $result = syscall($number, $given[0], $given[1], $given[2], $given[3], $given[4], $given[5]);
    print "$name: ", ($result == -1 ? $! + 0 : 0), "\n";
}

# disables readahead (MADV_RANDOM), so that only the touched page is read
syscall(28, $map, $size, 1);
my $bits = '';
for my $index (0 .. $count - 1) {
    my $before = reads();
    my $byte = unpack('P1', pack('Q', $map + $index * $stride));
    $bits .= reads() > $before ? 0 : 1;
}
print "cached $bits\n";

# Returns the major page faults of this process: getrusage(2).
sub reads {
    my $usage = "\0" x 144;
    syscall(98, 0, $usage);
    return unpack('q', substr($usage, 72, 8));
}
