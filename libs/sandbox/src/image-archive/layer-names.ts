import { hash } from 'node:crypto';

const KINDS = ['gone', 'file', 'directory', 'symlink', 'whiteout', 'hidden'] as const;

/**
 * The kind of a name in a layer. `hidden`: a whiteout hides what lower layers have under this name.
 */
export type NameKind = Exclude<(typeof KINDS)[number], 'gone'>;

export interface KnownName {
  readonly kind: NameKind;
  /** The number of the entry in the layer, from 1; 0 for a folder that has no entry of its own. */
  readonly ordinal: number;
  /** True if a hard link leads to this name. */
  readonly linked: boolean;
}

/**
 * Words of a slot: two of the name's digest, and one with 3 bits of kind, 1 bit `linked` and the
 * ordinal. A slot of zeros is free.
 */
const WORDS = 3;
const FULL = 0.65;
const SMALLEST = 4096;
const LINKED = 8;
const ORDINAL = 16;

/**
 * A hash table with the facts about each name of a layer. Takes 18 to 37 bytes per name, whatever
 * the name's length. Names are compared by 64 bits of a keyed digest; the key is secret, so no
 * archive can be constructed in which two names collide.
 */
export class LayerNames {
  private slots = new Uint32Array(SMALLEST * WORDS);
  private used = 0;

  /** @param key any text that the author of the archive cannot know */
  constructor(private readonly key: string) {}

  /** The number of names that were ever set or deleted. */
  get size(): number {
    return this.used;
  }

  get(name: string): KnownName | undefined {
    const value = this.slots[this.slotOf(this.digest(name)) + 2]!;
    const kind = KINDS[value & 7]!;
    if (value === 0 || kind === 'gone') return undefined;
    return { kind, ordinal: Math.floor(value / ORDINAL), linked: (value & LINKED) !== 0 };
  }

  set(name: string, { kind, ordinal, linked }: KnownName): void {
    this.put(name, KINDS.indexOf(kind) + (linked ? LINKED : 0) + ordinal * ORDINAL);
  }

  delete(name: string): void {
    // a used slot stays occupied, so that names stored after it are still found
    this.put(name, ORDINAL);
  }

  private put(name: string, value: number): void {
    const digest = this.digest(name);
    const slot = this.slotOf(digest);
    if (this.slots[slot + 2] === 0) this.used++;
    this.slots.set([...digest, value], slot);
    if (this.used * WORDS > FULL * this.slots.length) this.grow();
  }

  private digest(name: string): [number, number] {
    const digest = hash('sha256', `${this.key}${name}`, 'buffer');
    return [digest.readUInt32LE(0), digest.readUInt32LE(4)];
  }

  /** Returns the index of the slot that holds the name of `digest`, or of the free slot for it. */
  private slotOf([high, low]: readonly [number, number]): number {
    const { slots } = this;
    let slot = (low % (slots.length / WORDS)) * WORDS;
    while (slots[slot + 2] !== 0 && (slots[slot] !== high || slots[slot + 1] !== low)) {
      slot = (slot + WORDS) % slots.length;
    }
    return slot;
  }

  private grow(): void {
    const before = this.slots;
    this.slots = new Uint32Array(before.length * 2);
    for (let slot = 0; slot < before.length; slot += WORDS) {
      if (before[slot + 2] === 0) continue;
      this.slots.set(before.subarray(slot, slot + WORDS), this.slotOf([before[slot]!, before[slot + 1]!]));
    }
  }
}
