// A model that does nothing, so that an evaluation of it measures the platform alone.
// ANSWERS=hashed: the label depends on a hash of the text. COUNTS=<prefix>: prints the number of
// instances received so far, and how many of their texts have the prefix. WAIT=<milliseconds>: waits
// before each answer.
import { createServer } from 'node:http';

const LABELS = ['negative', 'neutral', 'positive'];
const label = process.env.ANSWERS === 'hashed' ? ({ text }) => LABELS[hash(text) % 3] : () => LABELS[2];

const prefix = process.env.COUNTS;
const wait = Number(process.env.WAIT ?? 0);
let asked = 0;
let prefixed = 0;

createServer((request, response) => {
  if (request.url === '/ping') {
    response.end();
    return;
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { instances } = JSON.parse(Buffer.concat(chunks).toString());
    if (prefix !== undefined) {
      asked += instances.length;
      prefixed += instances.filter(({ text }) => text.startsWith(prefix)).length;
      console.log(`asked ${asked} prefixed ${prefixed}`);
    }
    const body = JSON.stringify({ predictions: instances.map(label) });
    const answer = () => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
      response.end(body);
    };
    if (wait > 0) setTimeout(answer, wait);
    else answer();
  });
}).listen(8080);

/** FNV-1a. */
function hash(text) {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return (value ^ (value >>> 15)) >>> 0;
}
