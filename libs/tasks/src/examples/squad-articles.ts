import { GrowingBytes } from '@assay/storage/bytes';
import { type JsonBounds, JsonShape } from './json-shape.js';

/** The largest size in bytes of an article, and of the document around all articles. */
const LONGEST = 16 * 2 ** 20;
const BOUNDS: JsonBounds = { depth: 32, values: 300_000 };
/** The text before the array of articles. */
const DATA = /"data"\s*:\s*$/;
const LONGEST_KEY = 256;

/** The document cannot be read any further. */
export class UnreadableDocument extends Error {}

/**
 * Extracts the articles from a SQuAD file as a stream. Each article is returned for separate
 * parsing. In the surrounding document an empty string replaces each article; parsing the rest at
 * the end shows whether the document is valid.
 */
export class SquadArticles {
  count = 0;
  private readonly shape = new JsonShape();
  private readonly article = new GrowingBytes();
  private readonly around = new GrowingBytes();
  private isData = false;
  private isInside = false;
  /** Number of values before the current article, and outside all articles. */
  private valuesBefore = 0;
  private valuesAround = 0;

  /** Yields the articles that end in this piece. @throws UnreadableDocument */
  *read(piece: Buffer): Generator<Buffer> {
    let start = 0;
    for (let place = 0; place < piece.length; place++) {
      const before = this.shape.depth;
      this.shape.take(piece[place]!);
      if (this.shape.depth === before) continue;
      if (this.isInside && this.shape.depth === 2) {
        this.keep(piece.subarray(start, place + 1));
        start = place + 1;
        yield this.leave();
      } else if (!this.isInside && this.shape.depth > before && this.shape.depth <= 3) {
        this.keep(piece.subarray(start, place));
        start = place;
        this.enter();
      }
    }
    this.keep(piece.subarray(start));
  }

  /** Returns the document around the articles. */
  rest(): Buffer {
    return this.around.take();
  }

  private keep(bytes: Buffer): void {
    const part = this.isInside ? this.article : this.around;
    const values = this.isInside ? this.shape.values - this.valuesBefore : this.valuesAround + this.outside();
    const problem = this.shape.problem(BOUNDS, values) ?? (part.length + bytes.length > LONGEST ? TOO_LONG : null);
    if (problem !== null)
      throw new UnreadableDocument(this.isInside ? `its article ${this.count + 1} ${problem}` : problem);
    part.add(bytes);
  }

  private outside(): number {
    return this.shape.values - this.valuesBefore;
  }

  private enter(): void {
    if (this.shape.depth === 2) this.isData = DATA.test(this.around.end(LONGEST_KEY).toString('latin1'));
    if (this.shape.depth < 3 || !this.isData) return;
    this.valuesAround += this.outside();
    this.valuesBefore = this.shape.values;
    this.isInside = true;
  }

  private leave(): Buffer {
    this.count++;
    this.valuesBefore = this.shape.values;
    this.isInside = false;
    this.around.add(Buffer.from('""'));
    return this.article.take();
  }
}

const TOO_LONG = `is larger than ${LONGEST / 2 ** 20} MiB`;
