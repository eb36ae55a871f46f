import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connect } from './api.js';
import { wholeBoard } from './whole-board.js';

describe('wholeBoard', () => {
  let server: Server;
  let asked: Record<string, string>[];

  /** Serves the rows 1 to 3 of revision 7, two of them on the first page. */
  beforeEach(async () => {
    asked = [];
    server = createServer((request, response) => {
      const query = Object.fromEntries(new URL(request.url!, 'http://localhost').searchParams);
      asked.push(query);
      const isFirst = query['cursor'] === undefined;
      const board = isFirst ? { revision: 7, rows: [1, 2], nextCursor: 'two' } : { revision: 7, rows: [3] };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(board));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const api = () => connect({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });

  it('joins the pages of one revision', async () => {
    expect(await wholeBoard(api(), 'tone', { kind: 'onnx' })).toEqual({ revision: 7, rows: [1, 2, 3] });
    expect(asked).toEqual([
      { kind: 'onnx', limit: '10000' },
      { kind: 'onnx', limit: '10000', asOf: 'r7', cursor: 'two' },
    ]);
  });

  it('returns one page if a limit is set, with the cursor of the next', async () => {
    expect(await wholeBoard(api(), 'tone', { limit: 2 })).toEqual({ revision: 7, rows: [1, 2], nextCursor: 'two' });
    expect(asked).toEqual([{ limit: '2' }]);
  });
});
