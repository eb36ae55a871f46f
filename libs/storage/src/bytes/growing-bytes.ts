/** A byte buffer that grows as pieces arrive, in amortised linear time even for tiny pieces. */
export class GrowingBytes {
  private bytes = Buffer.alloc(0);
  length = 0;

  add(piece: Buffer): void {
    const length = this.length + piece.length;
    if (length > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.bytes.length));
      this.bytes.copy(larger, 0, 0, this.length);
      this.bytes = larger;
    }
    piece.copy(this.bytes, this.length);
    this.length = length;
  }

  /** Returns the last bytes, at most `most`. */
  end(most: number): Buffer {
    return this.bytes.subarray(Math.max(0, this.length - most), this.length);
  }

  /** Returns all bytes and clears the buffer. */
  take(): Buffer {
    const taken = this.bytes.subarray(0, this.length);
    this.bytes = Buffer.alloc(0);
    this.length = 0;
    return taken;
  }
}
