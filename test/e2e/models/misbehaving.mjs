// A model whose command selects how it fails: `honest` answers by the length of the text, every
// other word breaks the contract in its own way.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

const [way = 'honest'] = process.argv.slice(2);
/** Two batches of the warm-up, and the first batch that counts. */
const BATCHES_BEFORE_THE_END = 3;
const hoard = [];
let seen = 0;
let batches = 0;

const labelOf = ({ text }) => (text.length % 2 === 0 ? 'even' : 'odd');
const predictionsFor = (instances) => instances.map(labelOf);
const send = (response, body, headers = {}) =>
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);
const sendPredictions = (response, predictions) => send(response, JSON.stringify({ predictions }));

const ways = {
  'exits-in-the-middle': (instances, response) => {
    if (seen > 400) process.exit(3);
    sendPredictions(response, predictionsFor(instances));
  },
  'one-too-few': (instances, response) => sendPredictions(response, predictionsFor(instances).slice(1)),
  'unknown-label': (instances, response) =>
    sendPredictions(
      response,
      instances.map(() => 'Even'),
    ),
  'not-finite': (instances, response) => {
    const one = '{"label":"even","probabilities":{"even":1e999,"odd":0}}';
    send(response, `{"predictions":[${instances.map(() => one).join(',')}]}`);
  },
  'sums-to-two': (instances, response) =>
    sendPredictions(
      response,
      instances.map(() => ({ label: 'even', probabilities: { even: 1, odd: 1 } })),
    ),
  redirects: (_, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
  'not-json': (_, response) => send(response, '{"predictions": [even]}'),
  'no-list': (_, response) => send(response, '{"labels": []}'),
  'too-much': (_, response) => send(response, Buffer.alloc(64 << 20, 0x20)),
  gzipped: (instances, response) =>
    send(response, gzipSync(JSON.stringify({ predictions: predictionsFor(instances) })), {
      'content-encoding': 'gzip',
    }),
  'status-500': (_, response) => response.writeHead(500).end('no GPU'),
  'never-answers': () => undefined,
  'slow-from-the-start': async (instances, response) => {
    await sleep(25 * instances.length);
    sendPredictions(response, predictionsFor(instances));
  },
  'slow-in-the-end': async (instances, response) => {
    // only batches are counted: the number of single requests before them depends on the machine
    if (instances.length > 1) batches++;
    if (batches > BATCHES_BEFORE_THE_END) await sleep(2_500);
    sendPredictions(response, predictionsFor(instances));
  },
  'eats-memory': () => {
    for (;;) hoard.push(Buffer.alloc(16 << 20, 1));
  },
  'changes-its-mind': (instances, response) =>
    sendPredictions(response, instances.length === 1 ? ['even'] : instances.map(() => 'odd')),
  'hangs-up': (_, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('{');
    setTimeout(() => response.destroy(), 20);
  },
};
const answer = ways[way] ?? ((instances, response) => sendPredictions(response, predictionsFor(instances)));

if (way === 'exits-at-once') {
  console.error('cannot find the weights');
  process.exit(3);
}

createServer((request, response) => {
  if (request.url === '/ping') {
    response.writeHead(way === 'never-ready' ? 503 : 200).end();
    return;
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { instances } = JSON.parse(Buffer.concat(chunks).toString());
    seen += instances.length;
    void answer(instances, response);
  });
}).listen(8080);
