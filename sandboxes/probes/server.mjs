// A hostile model. The first argument of its command names the probe, the others are the arguments
// of the probe; see README.md.
import { createServer } from 'node:http';
import { bombs } from './bombs.mjs';
import { lies } from './lies.mjs';
import { predictions } from './predictions.mjs';
import { replies } from './replies.mjs';
import { send } from './sending.mjs';
import { looks } from './surroundings.mjs';
import { taints } from './taint.mjs';

const [name = 'honest', ...words] = process.argv.slice(2);
const probes = { honest: {}, ...bombs, ...replies, ...predictions, ...lies, ...looks, ...taints };
const probe = probes[name];
if (!probe) throw new Error(`no probe is called ${name}`);

/** The answer of the honest model, on which every probe is based. */
const labelOf = ({ text }) => (text.length % 2 === 0 ? 'even' : 'odd');

let requests = 0;
let instancesSeen = 0;

probe.start?.(words);
const server = createServer((request, response) => {
  response.on('error', () => undefined);
  if (request.url === '/ping') {
    if (probe.ping) probe.ping(response);
    else response.writeHead(200).end();
    return;
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { instances } = JSON.parse(Buffer.concat(chunks).toString());
    const honest = instances.map(labelOf);
    const ask = { instances, honest, response, socket: response.socket, words, requests, instancesSeen };
    requests++;
    instancesSeen += instances.length;
    if (probe.answer) void probe.answer(ask);
    else send(response, { predictions: honest });
  });
});
server.on('connection', (socket) => socket.on('error', () => undefined));
if (!probe.deaf) server.listen(Number(process.env.AIP_HTTP_PORT));
