import { extract, type Extract } from 'tar-stream';

/** Bytes of one extended header: a path has 4,096 at most, and the rest of it is attributes. */
const HEADER_BYTES = 64 * 1024;
/** Bytes of all extended headers that one upload may have: a million of a hundred bytes, or some ten seconds of work. */
const ALL_HEADER_BYTES = 256 * 1024 * 1024;

/** The extended headers of a tar are too large to be read. Its message says what is wrong, as a sentence. */
export class TarHeadersTooLarge extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TarHeadersTooLarge';
  }
}

/** What the tars of one upload have had in extended headers so far. */
export interface HeaderBudget {
  bytes: number;
}

/** Of tar-stream 3, what its types do not name; `bounded-tar.spec.ts` notices when a later one is made otherwise. */
interface Decoding {
  readonly _header: { readonly type: string };
  _decodeLongHeader(bytes: Buffer): void;
}

/**
 * `tar-stream`, made safe for tars of strangers: it would keep an extended header of 4 MB, and copy the records of a global one (`g`) to every
 * entry after it, so that an archive of 1 MB takes hours. Docker passes global headers over, and so does this. Ends in `TarHeadersTooLarge`.
 */
export function boundedTar(budget: HeaderBudget): Extract {
  const entries = extract();
  const decoding = entries as unknown as Decoding;
  const decode = decoding._decodeLongHeader.bind(decoding);
  decoding._decodeLongHeader = (bytes) => {
    budget.bytes += bytes.length;
    if (bytes.length > HEADER_BYTES) {
      throw new TarHeadersTooLarge(
        `A tar has an extended header of ${bytes.length} bytes; it may have ${HEADER_BYTES}.`,
      );
    }
    if (budget.bytes > ALL_HEADER_BYTES) {
      throw new TarHeadersTooLarge(`The extended headers have more than the ${ALL_HEADER_BYTES} bytes allowed.`);
    }
    if (decoding._header.type !== 'pax-global-header') decode(bytes);
  };
  return entries;
}
