// The container contract in plain Node: GET /ping, POST /invocations. model.mjs returns the label
// of a text.
import { createServer } from 'node:http';
import { load } from './model.mjs';

/** The most bytes of a request body. */
const MAX_BODY = 16 * 1024 * 1024;

class BadRequest extends Error {}

const predict = await load();

const server = createServer((request, response) => {
  answer(request).then(
    (body) => send(response, 200, body),
    (error) => send(response, error instanceof BadRequest ? 400 : 500, { error: error.message }),
  );
});
// closing an idle connection that a client's next request uses looks like a crash
server.keepAliveTimeout = 0;
server.listen(Number(process.env.AIP_HTTP_PORT ?? 8080), () => console.log(`listening on ${server.address().port}`));
// process 1 of a container ignores signals that it does not handle
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(0));

async function answer(request) {
  if (request.method === 'GET' && request.url === '/ping') return {};
  if (request.method !== 'POST' || request.url !== '/invocations') {
    throw new BadRequest(`Unknown request ${request.method} ${request.url}. Use GET /ping or POST /invocations.`);
  }
  return { predictions: textsOf(await bodyOf(request)).map(predict) };
}

async function bodyOf(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY) throw new BadRequest(`The body is larger than ${MAX_BODY} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** @returns {string[]} the texts of `{"instances": [{"text": "…"}, …]}`, in order */
function textsOf(body) {
  const instances = parseJson(body)?.instances;
  if (!Array.isArray(instances)) throw new BadRequest('The body must be {"instances": [{"text": "…"}, …]}.');
  return instances.map((instance, index) => {
    if (typeof instance?.text !== 'string') throw new BadRequest(`Instance ${index} has no text in "text".`);
    return instance.text;
  });
}

function parseJson(body) {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new BadRequest(`The body is not valid JSON: ${error.message}`);
  }
}

function send(response, status, value) {
  const body = JSON.stringify(value);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
