// Serves the ONNX bundle in /model with the container contract: GET /ping, POST /invocations,
// POST /explain.
import { createServer } from 'node:http';
import { BadRequest, parseInstances } from './instances.mjs';
import { loadModel } from './model.mjs';

/** The most bytes of a request body. */
const MAX_BODY = 256 * 1024 * 1024;

const folder = process.env.ASSAY_MODEL ?? '/model';
const port = Number(process.env.AIP_HTTP_PORT ?? 8080);

const model = await loadModel(folder, {
  threads: Math.max(1, Math.floor(Number(process.env.OMP_NUM_THREADS ?? 1)) || 1),
  fields: process.env.ASSAY_FIELDS?.split(',').map((field) => field.trim()) ?? null,
}).catch((error) => {
  // the model's owner sees the end of the log: a sentence, no stack
  console.error(`The model cannot be served: ${error.message}`);
  process.exit(1);
});

const server = createServer((request, response) => {
  answer(request).then(
    (body) => send(response, 200, body),
    (error) => send(response, error instanceof BadRequest ? 400 : 500, JSON.stringify({ error: error.message })),
  );
});
// closing an idle connection that a client's next request uses looks like a crash
server.keepAliveTimeout = 0;
server.listen(port, () => console.log(`listening on ${server.address().port}`));
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(0));

async function answer(request) {
  if (request.method === 'GET' && request.url === '/ping') return '{}';
  const explains = request.url === '/explain';
  if (request.method !== 'POST' || (request.url !== '/invocations' && !explains)) {
    throw new BadRequest(
      `Unknown request ${request.method} ${request.url}. Use GET /ping, POST /invocations or POST /explain.`,
    );
  }
  const instances = parseInstances(await bodyOf(request));
  if (explains) return JSON.stringify({ explanations: await model.explain(instances) });
  return JSON.stringify({ predictions: await model.predict(instances) });
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

function send(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
