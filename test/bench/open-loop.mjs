// Sends requests to URLs of one server at a fixed rate, regardless of outstanding responses: node
// open-loop.mjs, with a plan in JSON on standard input and figures in JSON on standard output.
// Latencies start at the due time, so they include waiting for a connection or for this process.
// Requests without a response after twice the duration count with the time that they have waited.
// If each URL has a kind, there are figures by kind too. `tokens` are sent in rotation.
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { BareConnections } from './bare-connections.mjs';

/** Milliseconds between two checks for due requests. */
const TICK = 1;

const {
  addresses,
  headers,
  rate,
  seconds,
  connections: most,
  method = 'GET',
  kinds = [],
  tokens = [],
} = await json(process.stdin);
const urls = addresses.map((address) => new URL(address));
const connections = new BareConnections(urls[0], most);
const heads = urls.map(headOf);
const count = Math.round(rate * seconds);
const times = new Float64Array(count);
const dues = new Float64Array(count);
const lags = new Float64Array(count);
const statuses = {};
let bytes = 0;
let answered = 0;

await Promise.race([
  new Promise((resolve) => void keepRate((number, due) => ask(number, due, resolve))),
  sleep(2000 * seconds, undefined, { ref: false }),
]);
const unanswered = count - answered;
for (let number = 0; number < count; number++)
  if (times[number] === 0) times[number] = performance.now() - dues[number];

const byKind = Object.fromEntries(
  [...new Set(kinds)].map((kind) => [kind, shares(times.filter((_, number) => kinds[number % kinds.length] === kind))]),
);
const figures = {
  ...shares(times),
  lag: shares(lags).p99,
  statuses,
  unanswered,
  bytes: bytes / answered,
  ...(kinds.length > 0 && { byKind }),
};
process.stdout.write(JSON.stringify(figures), () => process.exit());

function shares(some) {
  const sorted = some.toSorted();
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
  return { p50: at(0.5), p99: at(0.99), most: sorted.at(-1), count: sorted.length };
}

/**
 * Returns a request without its token and its last line break. Built once per URL, not per request.
 */
function headOf({ host, pathname, search }) {
  const given = { host, ...headers, ...(method === 'POST' && { 'content-length': 0 }) };
  const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${pathname}${search} HTTP/1.1\r\n${lines.join('')}`;
}

/**
 * Returns a request with its token. The tokens shift with each rotation of the URLs, so that every
 * user eventually requests every URL.
 */
function requestOf(number) {
  const head = heads[number % heads.length];
  if (tokens.length === 0) return `${head}\r\n`;
  const turn = number + Math.floor(number / addresses.length);
  return `${head}authorization: Bearer ${tokens[turn % tokens.length]}\r\n\r\n`;
}

function ask(number, due, resolve) {
  dues[number] = due;
  lags[number] = performance.now() - due;
  connections.send(requestOf(number), (status, length) => {
    times[number] = performance.now() - due;
    bytes += length;
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (++answered === count) resolve();
  });
}

async function keepRate(ask) {
  const started = performance.now();
  for (let asked = 0; asked < count;) {
    for (; asked < count; asked++) {
      const due = started + (1000 * asked) / rate;
      if (due > performance.now()) break;
      ask(asked, due);
    }
    await sleep(TICK);
  }
}
