import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The result of an eviction or a count. */
export interface Eviction {
  readonly files: number;
  /** Pages that are in the page cache, after an eviction those that a process still maps. */
  readonly pages: number;
  /** Files and folders that could not be read, so that their pages are unknown. */
  readonly failed: number;
}

/**
 * The numbers of the system calls mmap, munmap, mincore, fadvise64 and syncfs by architecture. Node
 * and Perl do not provide these calls.
 */
const CALLS: Readonly<Record<string, readonly number[]>> = {
  x64: [9, 11, 27, 221, 306],
  arm64: [222, 215, 232, 223, 267],
};

const SECONDS = 300;

/**
 * A Perl script, because Node cannot call `posix_fadvise`; Debian always has Perl. Descends with
 * `chdir`, because paths within an image may be as long as the kernel allows, and here they have a
 * prefix. Syncs first, because pages that are not yet on disk cannot be evicted.
 */
const SCRIPT = String.raw`
use strict; use warnings; no warnings 'recursion';
use Fcntl;
use POSIX ();
my ($mmap, $munmap, $mincore, $fadvise, $syncfs) = map { $_ + 0 } splice @ARGV, 0, 5;
my $mode = shift;
my $page = POSIX::sysconf(POSIX::_SC_PAGESIZE());
my $window = $page << 18;
my ($files, $pages, $failed) = (0, 0, 0);

sub look {
    my ($name, $size) = @_;
    sysopen(my $file, $name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) or return $failed++;
    $files++;
    syscall($fadvise, fileno($file), 0, 0, 4) if $mode eq 'evict';
    for (my $at = 0; $at < $size; $at += $window) {
        my $length = $size - $at < $window ? $size - $at : $window;
        my $address = syscall($mmap, 0, $length, 1, 1, fileno($file), $at);
        return $failed++ if $address == -1;
        my $resident = "\0" x POSIX::ceil($length / $page);
        syscall($mincore, $address, $length, $resident) == 0 or $failed++;
        $pages += $resident =~ tr/\0//c;
        syscall($munmap, $address, $length);
    }
}

sub walk {
    opendir(my $folder, '.') or return $failed++;
    my @names = grep { $_ ne '.' && $_ ne '..' } readdir $folder;
    closedir $folder;
    for my $name (@names) {
        my @facts = lstat $name or next;
        if (-f _) { look($name, $facts[7]); next }
        next if !-d _;
        chdir $name or do { $failed++; next };
        walk();
        chdir '..' or die "a folder went away: $!";
    }
}

for my $folder (@ARGV) {
    chdir $folder or die "$folder: $!\n";
    opendir(my $root, '.') or die "$folder: $!\n";
    syscall($syncfs, POSIX::open('.', O_RDONLY)) if $mode eq 'evict' && $folder eq $ARGV[0];
    walk();
}
print "$files $pages $failed";
`;

/**
 * Evicts the pages of all regular files below `folders` from the page cache of this host, and
 * counts the pages that remain.
 * @throws Error if the folders cannot be read or this host has no Perl
 */
export const evictPages = (folders: readonly string[]): Promise<Eviction> => run('evict', folders);

/** Counts the pages of the files below `folders` that are in the page cache. Evicts nothing. */
export const cachedPages = (folders: readonly string[]): Promise<Eviction> => run('look', folders);

async function run(mode: 'evict' | 'look', folders: readonly string[]): Promise<Eviction> {
  const calls = CALLS[process.arch];
  if (!calls) throw new Error(`the system call numbers of ${process.arch} are unknown`);
  const parameters = ['-e', SCRIPT, ...calls.map(String), mode, ...folders];
  const { stdout } = await promisify(execFile)('/usr/bin/perl', parameters, {
    timeout: SECONDS * 1000,
    env: { LC_ALL: 'C' },
  });
  const [files = 0, pages = 0, failed = 0] = stdout.split(' ').map(Number);
  return { files, pages, failed };
}
