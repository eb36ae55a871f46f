import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes after which what was streamed is collected: about so much of it lies dead in memory at a time, and a collection takes a millisecond. */
const SWEEP_BYTES = 16 * 1024 * 1024;

type Collect = (options: { readonly type: 'minor' }) => void;

let collect: Collect | undefined;
let streamed = 0;

/**
 * To be called for every chunk that a large file is streamed in. V8 counts what chunks take outside of its heap only when that has grown by 64
 * MiB, and few objects in it make it look earlier: without this, a process grows by that much whatever it streams.
 */
export function sweepAfter(bytes: number): void {
  streamed += bytes;
  if (streamed < SWEEP_BYTES) return;
  streamed = 0;
  collect ??= collector();
  collect({ type: 'minor' });
}

/** `chunks` as they are, with what of them is dead swept away. */
export async function* swept(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of chunks) {
    sweepAfter(chunk.length);
    yield chunk;
  }
}

function collector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}
