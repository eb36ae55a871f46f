import { extract, type Extract } from 'tar-stream';

/** The most bytes of one extended header. A path has at most 4,096; the rest is for attributes. */
const HEADER_BYTES = 64 * 1024;
/**
 * The most bytes of all extended headers of one upload: enough for a million headers of 100 bytes,
 * and some ten seconds of work.
 */
const ALL_HEADER_BYTES = 256 * 1024 * 1024;

/** The bytes of extended headers read so far in all tars of one upload. */
export interface HeaderBudget {
  bytes: number;
}

/**
 * The internals of tar-stream 3 that its types do not declare. `hostile-archives.spec.ts` fails if
 * a later version changes them.
 */
interface Decoding {
  readonly _header: { readonly type: string };
  _decodeLongHeader(bytes: Buffer): void;
}

/**
 * Returns a `tar-stream` extractor that is safe for untrusted tars. `tar-stream` alone accepts an
 * extended header of 4 MB and copies the records of a global one (`g`) to every later entry, so an
 * archive of 1 MB can take hours. This extractor skips global headers, as Docker does. The stream
 * ends with an error of `refused` if a limit is exceeded.
 */
export function boundedTar(budget: HeaderBudget, refused: (message: string) => Error): Extract {
  const entries = extract();
  const decoding = entries as unknown as Decoding;
  const decode = decoding._decodeLongHeader.bind(decoding);
  decoding._decodeLongHeader = (bytes) => {
    budget.bytes += bytes.length;
    if (bytes.length > HEADER_BYTES) {
      throw refused(`The tar has an extended header of ${bytes.length} bytes; the limit is ${HEADER_BYTES}.`);
    }
    if (budget.bytes > ALL_HEADER_BYTES) {
      throw refused(`The extended headers are too large: the limit is ${ALL_HEADER_BYTES} bytes.`);
    }
    if (decoding._header.type !== 'pax-global-header') decode(bytes);
  };
  return entries;
}
