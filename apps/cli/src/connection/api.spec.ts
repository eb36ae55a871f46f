import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { datasetsContent, datasetsPut, type DatasetsPutData, modelsList, tasksGet } from '@assay/api-client/fetch';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Api, connect, contentOf, operationQuery } from './api.js';
import { fileBody } from './files.js';

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

describe('a connection', () => {
  let server: HttpServer;
  let url: string;
  let api: Api;
  let received: Received[];
  let answer: (response: ServerResponse) => void;

  beforeEach(async () => {
    received = [];
    answer = (response) => response.end('{}');
    server = createServer((request, response) => void take(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    api = connect({ url, token: 'mine' });
  });

  afterEach(() => stop());

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { authorization, 'content-type': type } = request.headers;
    received.push({ method: request.method, url: request.url, authorization, type, body: await text(request) });
    answer(response);
  }

  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };

  it('returns the content of a response, and sends the token', async () => {
    answer = (response) => response.end('{"slug":"nli"}');
    expect(await contentOf(tasksGet({ client: api, path: { slug: 'a b/c' } }))).toEqual({ slug: 'nli' });
    expect(received).toMatchObject([{ method: 'GET', url: '/api/v1/tasks/a%20b%2Fc', authorization: 'Bearer mine' }]);
  });

  it('reads JSON whatever type the response names', async () => {
    answer = (response) => response.setHeader('content-type', 'text/plain').end('{"slug":"nli"}');
    expect(await contentOf(tasksGet({ client: api, path: { slug: 'nli' } }))).toEqual({ slug: 'nli' });
  });

  it('sends what is given of a query', async () => {
    answer = (response) => response.end('{"items":[]}');
    await modelsList({ client: api, path: { slug: 'nli' }, query: { limit: 200 } });
    await modelsList({ client: api, path: { slug: 'nli' } });
    expect(received.map((each) => each.url)).toEqual([
      '/api/v1/tasks/nli/models?limit=200',
      '/api/v1/tasks/nli/models',
    ]);
  });

  it('sends a file unchanged', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'assay-body-'));
    const file = join(folder, 'round-1.csv');
    writeFileSync(file, 'id,text\n1,"a"\n');
    answer = (response) => response.writeHead(201).end('{"name":"round-1"}');
    const query = operationQuery<DatasetsPutData>({ role: 'round', round: '1', use: undefined });
    const headers = { 'content-type': 'text/csv' };
    const path = { slug: 'nli', name: 'round-1' };
    await datasetsPut({ client: api, path, query, headers, body: await fileBody(file) });
    rmSync(folder, { recursive: true });
    expect(received).toEqual([
      {
        method: 'PUT',
        url: '/api/v1/tasks/nli/datasets/round-1?role=round&round=1',
        authorization: 'Bearer mine',
        type: 'text/csv',
        body: 'id,text\n1,"a"\n',
      },
    ]);
  });

  it('streams a file of the service', async () => {
    answer = (response) => response.setHeader('content-type', 'application/x-ndjson').end('{"id":1}\n{"id":2}\n');
    const { data } = await datasetsContent({ client: api, path: { slug: 'nli', name: 'r1' }, parseAs: 'stream' });
    expect(await text(data as unknown as AsyncIterable<Uint8Array>)).toBe('{"id":1}\n{"id":2}\n');
  });

  it("throws a refusal in the server's words", async () => {
    answer = (response) => response.writeHead(404).end('{"code":"not_found","detail":"There is no such task."}');
    await expect(tasksGet({ client: api, path: { slug: 'nli' } })).rejects.toMatchObject({
      name: 'CommandFailure',
      code: 'not_found',
      message: 'There is no such task.',
      exitCode: 3,
      details: { status: 404 },
    });
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['with a length', (response) => response.setHeader('content-length', 0).end()],
    ['without a length', (response) => response.writeHead(200, { 'transfer-encoding': 'chunked' }).end()],
  ])('refuses an empty response %s', async (_, answerWith) => {
    answer = answerWith;
    await expect(contentOf(tasksGet({ client: api, path: { slug: 'nli' } }))).rejects.toThrow(
      'the server sent an empty response',
    );
  });

  it('throws that the server does not answer', async () => {
    await stop();
    await expect(tasksGet({ client: api, path: { slug: 'nli' } })).rejects.toMatchObject({
      name: 'CommandFailure',
      code: 'unreachable',
      message: expect.stringContaining(`The server at ${url} does not answer (ECONNREFUSED).`),
      exitCode: 5,
    });
  });
});
