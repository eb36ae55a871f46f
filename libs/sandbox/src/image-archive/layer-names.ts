import { hash } from 'node:crypto';

const KINDS = ['gone', 'file', 'directory', 'symlink', 'whiteout', 'hidden'] as const;

/** What a layer has under a name; `hidden`: a whiteout hides what layers below have there. */
export type NameKind = Exclude<(typeof KINDS)[number], 'gone'>;

export interface KnownName {
  readonly kind: NameKind;
  /** Which entry of the layer it is, from 1; 0 for a folder that has none, but something in it. */
  readonly ordinal: number;
  /** Whether a hard link leads to it. */
  readonly linked: boolean;
}

/** Words of a slot: two of the name's digest, then 3 bits of kind, one of `linked` and the ordinal; a slot of zeros is free. */
const WORDS = 3;
const FULL = 0.65;
const SMALLEST = 4096;
const LINKED = 8;
const ORDINAL = 16;

/**
 * What is known of each name of a layer, in 12 to 37 bytes a name whatever its length: names are told apart by 64 bits of a digest with a key that
 * nobody outside knows, so that no archive can be made in which two are taken for one.
 */
export class LayerNames {
  private slots = new Uint32Array(SMALLEST * WORDS);
  private used = 0;

  /** @param key any text that who made the archive can't know */
  constructor(private readonly key: string) {}

  /** How many names there are. */
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
    // a place that was taken once stays so: what came behind it is found by it
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

  /** Where the name of `digest` is, or would be. */
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
