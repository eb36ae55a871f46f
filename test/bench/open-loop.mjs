// Asks for addresses at a fixed rate, whether or not the answers have come: node open-loop.mjs, a plan in JSON on its standard input, figures in
// JSON on its standard output. What a request waits for a connection or for this process counts as its time, which begins when it was due. Those
// without an answer when as much time has passed again count with the time that they have waited.
import { Agent, get } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds for which requests that are due are looked for. */
const TICK = 1;

const { addresses, headers, rate, seconds, connections } = await json(process.stdin);
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const count = Math.round(rate * seconds);
const times = new Float64Array(count);
const dues = new Float64Array(count);
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

times.sort();
const at = (share) => times[Math.min(count - 1, Math.ceil(share * count) - 1)];
const figures = { p50: at(0.5), p99: at(0.99), most: times[count - 1], statuses, unanswered, bytes: bytes / answered };
process.stdout.write(JSON.stringify(figures), () => process.exit());

function ask(number, due, resolve) {
  dues[number] = due;
  const done = (status) => {
    times[number] = performance.now() - due;
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (++answered === count) resolve();
  };
  get(addresses[number % addresses.length], { agent, headers }, (response) => {
    response.on('data', (chunk) => (bytes += chunk.length));
    response.on('end', () => done(response.statusCode));
  }).on('error', ({ code }) => done(code));
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
