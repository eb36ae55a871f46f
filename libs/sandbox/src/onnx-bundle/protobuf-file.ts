import { readSync } from 'node:fs';

/** The bytes violate the format. `at` is the position, in bytes from the start. */
export class MalformedProtobuf extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
    this.name = 'MalformedProtobuf';
  }
}

export const VARINT = 0;
const FIXED64 = 1;
export const LENGTH_DELIMITED = 2;
export const FIXED32 = 5;

const WINDOW = 256 * 1024;
const WORD = 2 ** 32;

/**
 * Reads the wire format of protocol buffers (protobuf.dev/programming-guides/encoding) from a file
 * through a window of 256 KiB. Skipped bytes are never read, so a model of 2 GB takes no more
 * memory than a small one.
 * @throws MalformedProtobuf if the bytes violate the format
 */
export class ProtobufFile {
  position = 0;
  private readonly window = Buffer.allocUnsafe(WINDOW);
  private windowStart = 0;
  private windowEnd = 0;
  private low = 0;
  private high = 0;

  constructor(
    private readonly descriptor: number,
    readonly size: number,
  ) {}

  /**
   * Reads the field number and wire type of the next field. Refuses groups and field numbers below
   * 1.
   */
  tag(): { readonly field: number; readonly wireType: number } {
    const start = this.position;
    this.readVarint();
    // a tag has 32 bits; parsers treat larger ones differently
    if (this.high !== 0 || this.position - start > 5) throw new MalformedProtobuf('a tag is too large', start);
    const field = this.low >>> 3;
    const wireType = this.low & 7;
    if (field === 0) throw new MalformedProtobuf('a field has the number 0', start);
    if (wireType !== VARINT && wireType !== FIXED64 && wireType !== LENGTH_DELIMITED && wireType !== FIXED32) {
      throw new MalformedProtobuf(`a field has the unsupported wire type ${wireType}`, start);
    }
    return { field, wireType };
  }

  /**
   * Reads a 64-bit integer. Negative ones become -1 and those beyond 2^53 Infinity, as neither is
   * valid as a size or an offset.
   */
  int64(): number {
    this.readVarint();
    if (this.high >= WORD / 2) return -1;
    return this.high >= 2 ** 21 ? Number.POSITIVE_INFINITY : this.high * WORD + this.low;
  }

  /** Reads a 32-bit integer or enumeration. Drops the upper bits, as parsers do. */
  int32(): number {
    this.readVarint();
    return this.low | 0;
  }

  /** Reads the length of a length-delimited field and returns the position where the field ends. */
  end(parentEnd: number): number {
    const start = this.position;
    this.readVarint();
    if (this.high !== 0 || this.position + this.low > parentEnd) {
      throw new MalformedProtobuf('a field is longer than its message', start);
    }
    return this.position + this.low;
  }

  skip(wireType: number, parentEnd: number): void {
    if (wireType === VARINT) this.readVarint();
    else if (wireType === LENGTH_DELIMITED) this.position = this.end(parentEnd);
    else this.position += wireType === FIXED64 ? 8 : 4;
    if (this.position > parentEnd) throw new MalformedProtobuf('a field is longer than its message', this.position);
  }

  /** Reads a string and truncates it to `most` bytes. */
  text(parentEnd: number, most: number): string {
    const end = this.end(parentEnd);
    const bytes = Buffer.alloc(Math.min(most, end - this.position));
    for (let at = 0; at < bytes.length; at++) bytes[at] = this.byte();
    this.position = end;
    return bytes.toString('utf8');
  }

  /** Reads an integer of up to 64 bits, without its sign. */
  varint(): bigint {
    this.readVarint();
    return (BigInt(this.high) << 32n) | BigInt(this.low);
  }

  /** Reads the bytes up to `end`. Each piece is valid until the next one is read. */
  *pieces(end: number): Generator<Buffer> {
    while (this.position < end) {
      if (this.position < this.windowStart || this.position >= this.windowEnd) this.fill();
      const start = this.position - this.windowStart;
      const piece = this.window.subarray(start, Math.min(this.windowEnd, end) - this.windowStart);
      this.position += piece.length;
      yield piece;
    }
  }

  /** Counts the varints up to `end`. */
  countVarints(end: number): number {
    let count = 0;
    let last = 0;
    while (this.position < end) {
      last = this.byte();
      if (last < 0x80) count++;
    }
    if (last >= 0x80) throw new MalformedProtobuf('a list of integers ends within an integer', this.position);
    return count;
  }

  private readVarint(): void {
    const start = this.position;
    this.low = 0;
    this.high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.byte();
      const bits = byte & 0x7f;
      if (shift < 28) this.low = (this.low | (bits << shift)) >>> 0;
      else if (shift === 28) {
        this.low = (this.low | (bits << 28)) >>> 0;
        this.high = bits >>> 4;
      } else if (shift < 63) this.high = (this.high | (bits << (shift - 32))) >>> 0;
      else this.high = (this.high | ((bits & 1) << 31)) >>> 0;
      if (byte < 0x80) return;
    }
    throw new MalformedProtobuf('an integer has more than ten bytes', start);
  }

  private byte(): number {
    if (this.position < this.windowStart || this.position >= this.windowEnd) this.fill();
    return this.window[this.position++ - this.windowStart]!;
  }

  private fill(): void {
    const length = this.position < this.size ? readSync(this.descriptor, this.window, 0, WINDOW, this.position) : 0;
    if (length === 0) throw new MalformedProtobuf('the file ends within a field', this.position);
    this.windowStart = this.position;
    this.windowEnd = this.position + length;
  }
}
