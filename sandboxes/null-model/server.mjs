// The container contract without a model: every request gets the same bytes. Its costs are
// therefore those of the sandbox.
import { createServer } from 'node:http';

const ANSWER = '{"predictions":[null]}';
const HEADERS = { 'content-type': 'application/json', 'content-length': ANSWER.length };

const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => {
    response.writeHead(200, HEADERS);
    response.end(ANSWER);
  });
});
// closing an idle connection that the next request uses would look like a crash
server.keepAliveTimeout = 0;
server.listen(Number(process.env.AIP_HTTP_PORT));
process.on('SIGTERM', () => process.exit(0));
