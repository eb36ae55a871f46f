import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';

import type { Header } from 'tar-stream';

import { imageRefused, quoted } from '../refusal.js';
import { attributes, checkForm, NAME_BYTES, nameParts } from './entry-form.js';
import { KERNEL_FOLDERS } from './image-config.js';
import { LayerNames, type NameKind } from './layer-names.js';
import { steps, SymlinkPaths } from './symlink-paths.js';
import type { TarEntry } from './tar-header.js';
import { UnreadablePaths } from './unreadable-paths.js';

/**
 * The limits on the contents of an image. An image that exceeds one usually contains caches or a
 * dataset.
 */
export interface ContentLimits {
  /**
   * The most entries of the image: ten to twenty seconds of work. A conda environment with all its
   * packages has half as many.
   */
  readonly entries: number;
  /** The most names of one layer, including their parent folders: 12 MiB of memory. */
  readonly names: number;
  /** The most symlinks of the image, which are stored in memory uncompressed. */
  readonly symlinks: number;
  readonly symlinkBytes: number;
  /**
   * The most bytes of names that are looked up, folder by folder: some seconds of work. A large
   * real image needs a tenth.
   */
  readonly lookupBytes: number;
}

export const CONTENT_LIMITS: ContentLimits = {
  entries: 500_000,
  names: 600_000,
  symlinks: 100_000,
  symlinkBytes: 16 * 1024 * 1024,
  lookupBytes: 1e9,
};
const LINK_HOPS = 40;
const WHITEOUT = '.wh.';
const OPAQUE = '.wh..wh..opq';

type Kind = Exclude<NameKind, 'hidden'>;

/**
 * Checks the names of an image entry by entry and layer by layer. Refuses what cannot be extracted
 * safely, and determines the name and attributes under which each entry is written. Stores the
 * names of one layer and the symlinks of the image.
 *
 * If a layer has two entries of the same name, the later one wins; Docker refuses to load a layer
 * with both. Only at the end of a layer is it known which entry is the later one. If
 * `hasSuperseded` is true then, process the layer once more after `restartLayer`, which leaves out
 * the earlier entries.
 */
export class ImageContents {
  private readonly symlinks = new SymlinkPaths();
  private readonly unreadables: UnreadablePaths;
  private readonly key = randomUUID();
  private names = new LayerNames(this.key);
  private targets = new Map<string, string>();
  /** The folder of the previous entry, which is usually also that of the next one. */
  private folder = '';
  private superseded = new Set<number>();
  private leftOut: ReadonlySet<number> = new Set();
  private ordinal = 0;
  private lookupBytes = 0;
  private symlinkCount = 0;
  private symlinkBytes = 0;
  private before = { entries: 0, symlinkCount: 0, symlinkBytes: 0 };
  private entries = 0;

  constructor(
    private readonly workingDirectory: string,
    command: readonly string[],
    private readonly limits: ContentLimits = CONTENT_LIMITS,
  ) {
    this.unreadables = new UnreadablePaths(workingDirectory, command);
  }

  /**
   * The first ten paths under the working directory, or named by the command, that uid 65534 cannot
   * read.
   */
  get unreadable(): readonly string[] {
    return this.unreadables.first(10);
  }

  startLayer(): void {
    const { entries, symlinkCount, symlinkBytes } = this;
    this.before = { entries, symlinkCount, symlinkBytes };
    this.clearLayer(new Set());
  }

  get hasSuperseded(): boolean {
    return this.superseded.size > 0;
  }

  restartLayer(): void {
    Object.assign(this, this.before);
    this.clearLayer(this.superseded);
  }

  /**
   * Returns the entry to write for `header`, or null if it is left out.
   * @throws Refusal if the entry is not allowed
   */
  place(header: Header): TarEntry | null {
    if (++this.entries > this.limits.entries) {
      throw imageRefused(
        `The image has more than ${this.limits.entries} files, folders and links. Leave out caches and data that the model does not read, or pack them.`,
      );
    }
    this.ordinal++;
    const entry = this.lay(header);
    return this.leftOut.has(this.ordinal) ? null : entry;
  }

  /**
   * Checks that the working directory does not lead into a kernel folder. Call after the last
   * layer.
   * @throws Refusal if it does, or if there are too many symlinks to tell
   */
  checkWorkingDirectory(): void {
    for (const folder of KERNEL_FOLDERS) {
      if (!this.symlinks.mayReach(this.workingDirectory, folder)) continue;
      throw imageRefused(
        `WORKDIR ${quoted(this.workingDirectory)} leads through symlinks to ${folder}, or through too many to check.`,
      );
    }
  }

  private clearLayer(leftOut: ReadonlySet<number>): void {
    this.names = new LayerNames(this.key);
    this.targets = new Map();
    this.folder = '';
    this.superseded = new Set();
    this.leftOut = leftOut;
    this.ordinal = 0;
  }

  private lay(header: Header): TarEntry | null {
    const parts = nameParts(header.name);
    checkForm(header);
    if (parts.some((part) => part.startsWith('.wh..wh.') && part !== OPAQUE)) return null;
    if (parts.slice(0, -1).some((part) => part.startsWith(WHITEOUT))) {
      throw imageRefused(`${quoted(header.name)} is inside a whiteout.`);
    }
    const name = this.realName(parts, header.name);
    const base = parts.at(-1) ?? '';
    if (base.startsWith(WHITEOUT)) return this.whiteout(name, base, header);

    switch (header.type) {
      case 'file':
      case 'contiguous-file':
        return this.record(name, 'file', { ...attributes(header), name, type: 'file', size: header.size });
      case 'directory':
        return this.record(name, 'directory', { ...attributes(header), name: `${name || '.'}/`, type: 'directory' });
      case 'symlink':
        return this.symlink(name, header);
      case 'link':
        return this.hardLink(name, header);
      case 'character-device':
      case 'block-device':
      case 'fifo':
        this.supersede(name, 'file');
        this.names.delete(name);
        return null;
    }
  }

  private whiteout(name: string, base: string, header: Header): TarEntry {
    const hidden = base.slice(WHITEOUT.length);
    if (base !== OPAQUE && ['', '.', '..'].includes(hidden)) {
      throw imageRefused(`${quoted(header.name)} is a whiteout without a name.`);
    }
    if (base !== OPAQUE) this.hide(posix.join(posix.dirname(name), hidden), header);
    return this.record(name, 'whiteout', { ...attributes(header), name, type: 'file' });
  }

  private hide(name: string, header: Header): void {
    // Docker would create a whiteout device with that name, which fails
    const known = this.names.get(name);
    if (known && known.kind !== 'hidden') {
      throw imageRefused(`${quoted(header.name)} hides ${quoted(name)}, which is in the same layer.`);
    }
    this.name(name, 'hidden', 0);
    this.unreadables.remove(`/${name}`);
  }

  private symlink(name: string, header: Header): TarEntry {
    const target = header.linkname ?? '';
    if (target === '' || target.includes('\0') || Buffer.byteLength(target) > NAME_BYTES) {
      throw imageRefused(`The symlink ${quoted(header.name)} has no valid target.`);
    }
    this.symlinkBytes += name.length + target.length;
    const { symlinks, symlinkBytes } = this.limits;
    if (++this.symlinkCount > symlinks || this.symlinkBytes > symlinkBytes) {
      throw imageRefused(`The image has more than ${symlinks} symlinks, or they take more than ${symlinkBytes} bytes.`);
    }
    this.symlinks.add(`/${name}`, target);
    const entry = this.record(name, 'symlink', { ...attributes(header), name, type: 'symlink', target });
    this.targets.set(name, target);
    return entry;
  }

  private hardLink(name: string, header: Header): TarEntry {
    const target = this.realName(nameParts(header.linkname ?? ''), header.name);
    // Docker creates hard links within the layer only: a target in a lower layer does not exist for
    // it
    const linked = this.names.get(target);
    if (linked?.kind !== 'file' || target === name) {
      throw imageRefused(
        `${quoted(header.name)} is a hard link to ${quoted(header.linkname ?? '')}, which is not a regular file of the same layer.`,
      );
    }
    this.names.set(target, { ...linked, linked: true });
    return this.record(name, 'file', { ...attributes(header), name, type: 'link', target });
  }

  private record(name: string, kind: Kind, entry: TarEntry): TarEntry {
    if (name === '' && kind !== 'directory') {
      throw imageRefused('An entry that is not a folder has the name of the root.');
    }
    this.supersede(name, kind);
    this.name(name, kind, this.ordinal);
    for (let slash = name.lastIndexOf('/'); slash > 0; slash = name.lastIndexOf('/', slash - 1)) {
      const folder = name.slice(0, slash);
      const known = folder === this.folder ? 'directory' : this.names.get(folder)?.kind;
      if (known && known !== 'hidden') break;
      this.name(folder, 'directory', 0);
    }
    if ((kind === 'file' || kind === 'directory') && entry.type !== 'link')
      this.unreadables.see(`/${name}`, kind, entry);
    return entry;
  }

  private name(name: string, kind: NameKind, ordinal: number): void {
    this.names.set(name, { kind, ordinal, linked: false });
    if (this.names.size > this.limits.names) {
      throw imageRefused(`A layer of the image has more than ${this.limits.names} names, including folders.`);
    }
  }

  /** Records that an entry of `kind` replaces what this layer had under `name`. */
  private supersede(name: string, kind: Kind): void {
    const earlier = this.names.get(name);
    if (earlier === undefined || earlier.kind === 'hidden') return;
    if (earlier.kind === 'directory' && kind !== 'directory') {
      throw imageRefused(`${quoted(name)} is a folder and later something else in the same layer.`);
    }
    if (earlier.linked) {
      throw imageRefused(`${quoted(name)} occurs twice in one layer, and a hard link refers to the first.`);
    }
    if (earlier.ordinal > 0) this.superseded.add(earlier.ordinal);
    this.targets.delete(name);
  }

  /**
   * Returns the name under which Docker extracts `parts`: follows the symlinks of this layer within
   * the image's root.
   */
  private realName(parts: readonly string[], shown: string): string {
    const folder = parts.slice(0, -1).join('/');
    this.lookupBytes += folder.length;
    // a folder of this layer stays a folder, and so do its parents
    if (folder === this.folder || this.names.get(folder)?.kind === 'directory') {
      this.folder = folder;
      return parts.join('/');
    }

    let real: string[] = [];
    const rest = [...parts].reverse();
    for (let hops = 0; rest.length > 0;) {
      const part = rest.pop()!;
      if (part === '..') {
        real.pop();
        continue;
      }
      real.push(part);
      if (rest.length === 0) break;

      const name = real.join('/');
      this.lookupBytes += name.length;
      if (this.lookupBytes > this.limits.lookupBytes) {
        throw imageRefused('The names of the image are too long and too deeply nested.');
      }
      const kind = this.names.get(name)?.kind;
      if (kind === 'file') throw imageRefused(`${quoted(shown)} is inside ${quoted(name)}, which is a file.`);
      if (kind === 'hidden') throw imageRefused(`${quoted(shown)} is inside ${quoted(name)}, which its layer hides.`);
      const target = kind === 'symlink' ? this.targets.get(name) : undefined;
      if (target === undefined) continue;
      if (++hops > LINK_HOPS) throw imageRefused(`${quoted(shown)} is behind a loop of symlinks.`);
      real = target.startsWith('/') ? [] : real.slice(0, -1);
      rest.push(...steps(target).reverse());
    }
    return real.join('/');
  }
}
