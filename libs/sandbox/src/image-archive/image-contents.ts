import { posix } from 'node:path';

import type { Header } from 'tar-stream';

import { attributes, checkForm, NAME_BYTES, nameParts } from './entry-form.js';
import { ImageRefusal, quoted } from './image-refusal.js';
import { SymlinkPaths } from './symlink-paths.js';
import type { TarEntry } from './tar-header.js';
import { UnreadablePaths } from './unreadable-paths.js';

const ENTRIES = 1_000_000;
/** Bytes of all names of a layer, or of all symlinks of the image: what is kept in memory. */
const KEPT_BYTES = 128 * 1024 * 1024;
/** Bytes of names looked up, folder by folder: some seconds of work. A large real image needs a tenth of it. */
const LOOKUP_BYTES = 1e9;
const LINK_HOPS = 40;
const WHITEOUT = '.wh.';
const OPAQUE = '.wh..wh..opq';

type Kind = 'file' | 'directory' | 'symlink' | 'whiteout';

interface Known {
  readonly kind: Kind;
  /** Which entry of the layer it is, from 1; 0 for a folder that has none, but something in it. */
  readonly ordinal: number;
}

/**
 * The names of an image, entry by entry, layer by layer: refuses what can't be laid out safely, and says under which name and with which
 * attributes an entry is written. It holds one layer's names, and the image's symlinks.
 *
 * Of two entries of one name the later wins, and docker loads no layer with both. Which is the later is known only at a layer's end: where
 * `hasSuperseded` then says so, the layer is to be gone through once more after `restartLayer`, which leaves the earlier ones out.
 */
export class ImageContents {
  private readonly symlinks = new SymlinkPaths();
  private readonly unreadables: UnreadablePaths;
  private known = new Map<string, Known>();
  private targets = new Map<string, string>();
  /** Names that whiteouts of this layer hide, and that nothing in it has taken again. */
  private hidden = new Set<string>();
  /** Names to which hard links of this layer lead. */
  private linked = new Set<string>();
  private superseded = new Set<number>();
  private leftOut: ReadonlySet<number> = new Set();
  private ordinal = 0;
  private layerBytes = 0;
  private lookupBytes = 0;
  private symlinkBytes = 0;
  private before = { entries: 0, symlinkBytes: 0 };
  private entries = 0;

  constructor(
    private readonly workingDirectory: string,
    command: readonly string[],
  ) {
    this.unreadables = new UnreadablePaths(workingDirectory, command);
  }

  /** The first ten paths under the working directory, or of the command, that uid 65534 can't read. */
  get unreadable(): readonly string[] {
    return this.unreadables.first(10);
  }

  startLayer(): void {
    this.before = { entries: this.entries, symlinkBytes: this.symlinkBytes };
    this.clearLayer(new Set());
  }

  get hasSuperseded(): boolean {
    return this.superseded.size > 0;
  }

  restartLayer(): void {
    this.entries = this.before.entries;
    this.symlinkBytes = this.before.symlinkBytes;
    this.clearLayer(this.superseded);
  }

  /** The entry to write for `header`; null where it is left out. Throws `ImageRefusal`. */
  place(header: Header): TarEntry | null {
    if (++this.entries > ENTRIES) {
      throw new ImageRefusal('image_refused', `The image has more than ${ENTRIES} entries.`);
    }
    this.ordinal++;
    const entry = this.lay(header);
    return this.leftOut.has(this.ordinal) ? null : entry;
  }

  /** To be called when all layers were seen. Throws `ImageRefusal`. */
  checkWorkingDirectory(): void {
    // a file descriptor of the container runtime, opened there, leads out of the container (CVE-2024-21626)
    if (this.symlinks.mayReach(this.workingDirectory, '/proc')) {
      throw new ImageRefusal(
        'image_refused',
        `WORKDIR ${quoted(this.workingDirectory)} leads through symlinks to /proc, or to too many places to tell.`,
      );
    }
  }

  private clearLayer(leftOut: ReadonlySet<number>): void {
    this.known = new Map();
    this.targets = new Map();
    this.hidden = new Set();
    this.linked = new Set();
    this.superseded = new Set();
    this.leftOut = leftOut;
    this.ordinal = 0;
    this.layerBytes = 0;
  }

  private lay(header: Header): TarEntry | null {
    const parts = nameParts(header.name);
    checkForm(header);
    if (parts.some((part) => part.startsWith('.wh..wh.') && part !== OPAQUE)) return null;
    if (parts.slice(0, -1).some((part) => part.startsWith(WHITEOUT))) {
      throw new ImageRefusal('image_refused', `${quoted(header.name)} lies within a whiteout.`);
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
        this.known.delete(name);
        return null;
    }
  }

  private whiteout(name: string, base: string, header: Header): TarEntry {
    const hidden = base.slice(WHITEOUT.length);
    if (base !== OPAQUE && ['', '.', '..'].includes(hidden)) {
      throw new ImageRefusal('image_refused', `${quoted(header.name)} is a whiteout of no name.`);
    }
    if (base !== OPAQUE) this.hide(posix.join(posix.dirname(name), hidden), header);
    return this.record(name, 'whiteout', { ...attributes(header), name, type: 'file' });
  }

  private hide(name: string, header: Header): void {
    // docker makes a device of that name for it, which fails
    if (this.known.has(name)) {
      throw new ImageRefusal(
        'image_refused',
        `${quoted(header.name)} hides ${quoted(name)}, which is in the same layer.`,
      );
    }
    this.hidden.add(name);
    this.unreadables.remove(`/${name}`);
  }

  private symlink(name: string, header: Header): TarEntry {
    const target = header.linkname ?? '';
    if (target === '' || target.includes('\0') || Buffer.byteLength(target) > NAME_BYTES) {
      throw new ImageRefusal('image_refused', `The symlink ${quoted(header.name)} has no valid target.`);
    }
    this.symlinkBytes += name.length + target.length;
    if (this.symlinkBytes > KEPT_BYTES) {
      throw new ImageRefusal('image_refused', `The symlinks of the image take more than ${KEPT_BYTES} bytes.`);
    }
    this.symlinks.add(`/${name}`, target);
    const entry = this.record(name, 'symlink', { ...attributes(header), name, type: 'symlink', target });
    this.targets.set(name, target);
    return entry;
  }

  private hardLink(name: string, header: Header): TarEntry {
    const target = this.realName(nameParts(header.linkname ?? ''), header.name);
    // docker makes the link within the layer alone: a target in a lower one isn't there for it
    if (this.known.get(target)?.kind !== 'file' || target === name) {
      throw new ImageRefusal(
        'image_refused',
        `${quoted(header.name)} is a hard link to ${quoted(header.linkname ?? '')}, which is no regular file of the same layer.`,
      );
    }
    this.linked.add(target);
    return this.record(name, 'file', { ...attributes(header), name, type: 'link', target });
  }

  private record(name: string, kind: Kind, entry: TarEntry): TarEntry {
    if (name === '' && kind !== 'directory') {
      throw new ImageRefusal('image_refused', 'An entry that is no folder has the name of the root.');
    }
    this.supersede(name, kind);
    this.keep(name, { kind, ordinal: this.ordinal });
    for (let slash = name.lastIndexOf('/'); slash > 0; slash = name.lastIndexOf('/', slash - 1)) {
      const folder = name.slice(0, slash);
      if (this.known.has(folder)) break;
      this.keep(folder, { kind: 'directory', ordinal: 0 });
    }
    if ((kind === 'file' || kind === 'directory') && entry.type !== 'link')
      this.unreadables.see(`/${name}`, kind, entry);
    return entry;
  }

  private keep(name: string, known: Known): void {
    if (!this.known.has(name)) this.layerBytes += name.length;
    if (this.layerBytes > KEPT_BYTES) {
      throw new ImageRefusal('image_refused', `The names of a layer take more than ${KEPT_BYTES} bytes.`);
    }
    this.known.set(name, known);
    this.hidden.delete(name);
  }

  /** Something of `kind` takes the place of what this layer had under `name`. */
  private supersede(name: string, kind: Kind): void {
    const earlier = this.known.get(name);
    if (earlier === undefined) return;
    if (earlier.kind === 'directory' && kind !== 'directory') {
      throw new ImageRefusal(
        'image_refused',
        `${quoted(name)} is a folder first, and then something else in the same layer.`,
      );
    }
    if (this.linked.has(name)) {
      throw new ImageRefusal(
        'image_refused',
        `${quoted(name)} is there twice in one layer, with a hard link to the first.`,
      );
    }
    if (earlier.ordinal > 0) this.superseded.add(earlier.ordinal);
    this.targets.delete(name);
  }

  /** `parts` as docker lays them out: symlinks of this layer on the way are followed, within the image's root. */
  private realName(parts: readonly string[], shown: string): string {
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
      if (this.lookupBytes > LOOKUP_BYTES) {
        throw new ImageRefusal('image_refused', 'The names of the image are too long and too deep to go through.');
      }
      const kind = this.known.get(name)?.kind;
      if (kind === 'file') {
        throw new ImageRefusal('image_refused', `${quoted(shown)} lies within ${quoted(name)}, which is a file.`);
      }
      if (this.hidden.has(name)) {
        throw new ImageRefusal('image_refused', `${quoted(shown)} lies within ${quoted(name)}, which its layer hides.`);
      }
      const target = kind === 'symlink' ? this.targets.get(name) : undefined;
      if (target === undefined) continue;
      if (++hops > LINK_HOPS) {
        throw new ImageRefusal('image_refused', `${quoted(shown)} lies behind symlinks that lead in a circle.`);
      }
      real = target.startsWith('/') ? [] : real.slice(0, -1);
      rest.push(
        ...target
          .split('/')
          .filter((step) => step !== '' && step !== '.')
          .reverse(),
      );
    }
    return real.join('/');
  }
}
