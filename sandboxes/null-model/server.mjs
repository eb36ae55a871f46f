// The container contract with no model behind it: whatever is asked, the same bytes come back. What it takes is what the sandbox takes.
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
// an idle connection that is closed under the next request would look like a crash
server.keepAliveTimeout = 0;
server.listen(Number(process.env.AIP_HTTP_PORT));
process.on('SIGTERM', () => process.exit(0));
