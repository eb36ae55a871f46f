import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LARGEST = '2g';

/** A file system of its own in memory, which a test can make too small for what is on it. */
export class SmallDisk {
  private constructor(readonly path: string) {}

  /** @returns null where this process may not mount */
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

  /** Bytes that are taken. */
  get used(): number {
    const { blocks, bfree, bsize } = statfsSync(this.path);
    return (blocks - bfree) * bsize;
  }

  /** Leaves `bytes` of it free. */
  shrinkTo(bytes: number): void {
    mount(`remount,size=${this.used + bytes}`, this.path);
  }

  /** As it was at first. */
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
