// A model that sends bits to another sandbox by its load, or times its own work to receive them. A
// request names the role (`send` or `receive`), the work (`processor` or `memory`), the begin of the
// first symbol (milliseconds since 1970), the length of a symbol in milliseconds, and the symbols: the
// bits to send, or the number to receive.
import { createServer } from 'node:http';

/** Integers of 4 bytes in a line of the cache. */
const LINE = 16;
const MEBIBYTE = 1 << 20;
/** More than the last-level cache, so that a pass over it evicts the cache and uses the memory's bandwidth. */
const SENT = new Int32Array((64 * MEBIBYTE) / 4);
/** Larger than the own caches of a core, and smaller than the last-level cache that cores share. */
const RECEIVED = cycle((4 * MEBIBYTE) / 64);
let place = 0;
let line = 0;
let sink = 0;

/** Pieces of work of about 10 to 50 µs. */
const LOADS = { processor: compute, memory: stream };
const TIMED = { processor: compute, memory: chase };

const ROLES = {
  send({ work, start, milliseconds, bits }) {
    const clock = clockBefore(start);
    for (const [index, bit] of bits.entries()) {
      const end = start + (index + 1) * milliseconds;
      if (bit) while (clock() < end) LOADS[work]();
      else rest(end - clock());
    }
    return bits.length;
  },
  /** Returns the median time of a piece of work in each symbol, in microseconds. */
  receive({ work, start, milliseconds, symbols }) {
    const observed = [];
    const clock = clockBefore(start);
    for (let symbol = 1; symbol <= symbols; symbol++) {
      const times = [];
      let from = clock();
      for (const end = start + symbol * milliseconds; from < end;) {
        TIMED[work]();
        const to = clock();
        times.push(to - from);
        from = to;
      }
      times.sort((a, b) => a - b);
      // nothing ends in a symbol in which another process has the core
      observed.push(times.length > 0 ? 1000 * times[times.length >> 1] : (observed.at(-1) ?? 0));
    }
    return observed;
  },
};

function compute() {
  for (let step = 0; step < 10_000; step++) sink = Math.imul(sink ^ step, 16_777_619);
}

/** Writes to 2,048 lines of a large buffer. */
function stream() {
  for (let step = 0; step < 2_048; step++) {
    SENT[place]++;
    place = (place + LINE) % SENT.length;
  }
}

/** Follows 512 links to random lines, each of which has to be read before the next one is known. */
function chase() {
  for (let step = 0; step < 512; step++) line = RECEIVED[line];
}

/** Returns links that visit the first integer of each of `lines` lines in a random order. */
function cycle(lines) {
  const order = Array.from({ length: lines }, (_, index) => index);
  for (let index = lines - 1; index > 0; index--) {
    const other = Math.floor(Math.random() * (index + 1));
    [order[index], order[other]] = [order[other], order[index]];
  }
  const links = new Int32Array(lines * LINE);
  for (const [index, from] of order.entries()) links[from * LINE] = order[(index + 1) % lines] * LINE;
  return links;
}

/**
 * Waits until `start`.
 * @returns A clock of milliseconds since 1970 that both sandboxes share, with parts of microseconds.
 * @throws RangeError if `start` has passed
 */
function clockBefore(start) {
  const before = Date.now();
  let now = before;
  while (now === before) now = Date.now();
  const offset = now - performance.now();
  const clock = () => offset + performance.now();
  if (clock() > start) throw new RangeError('the request came too late');
  rest(start - clock());
  return clock;
}

const never = new Int32Array(new SharedArrayBuffer(4));

function rest(milliseconds) {
  if (milliseconds > 0) Atomics.wait(never, 0, 0, milliseconds);
}

// compiled before anything is timed
for (const work of [compute, stream, chase]) for (let call = 0; call < 3_000; call++) work();

createServer((request, response) => {
  if (request.url === '/ping') {
    response.end();
    return;
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { role, ...asked } = JSON.parse(Buffer.concat(chunks).toString());
    response.setHeader('content-type', 'application/json').end(JSON.stringify(ROLES[role](asked)));
  });
}).listen(Number(process.env.AIP_HTTP_PORT));
