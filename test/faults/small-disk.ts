import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LARGEST = '2g';

/** A file system in memory that a test can shrink until it is full. */
export class SmallDisk {
  private constructor(readonly path: string) {}

  /** @returns Null if this process may not mount. */
  static mount(): SmallDisk | null {
    const path = mkdtempSync(join(tmpdir(), 'assay-disk-'));
    try {
      mount(`size=${LARGEST},mode=755`, path);
      return new SmallDisk(path);
    } catch {
      rmSync(path, { recursive: true });
      return null;
    }
  }

  /** The used space in bytes. */
  get used(): number {
    const { blocks, bfree, bsize } = statfsSync(this.path);
    return (blocks - bfree) * bsize;
  }

  /** Leaves `bytes` free. */
  shrinkTo(bytes: number): void {
    mount(`remount,size=${this.used + bytes}`, this.path);
  }

  /** Restores the original size. */
  grow(): void {
    mount(`remount,size=${LARGEST}`, this.path);
  }

  unmount(): void {
    execFileSync('umount', ['--lazy', this.path], { stdio: 'pipe' });
    rmSync(this.path, { recursive: true });
  }
}

function mount(options: string, path: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'assay-disk', path], { stdio: 'pipe' });
}
