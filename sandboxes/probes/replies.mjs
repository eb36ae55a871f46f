// Probes that violate HTTP.
import { constants, gzipSync } from 'node:zlib';
import { head, pour, send } from './sending.mjs';

const json = 'content-type: application/json';
const chunked = 'transfer-encoding: chunked';
const trickle = (socket, text, milliseconds) => setInterval(() => socket.write(text), milliseconds);
const bodyOf = (honest) => JSON.stringify({ predictions: honest });

/** Concatenated gzip members count as one stream: 512 MiB of spaces in some hundred kilobytes. */
const gzipBomb = () =>
  Buffer.concat(new Array(32).fill(gzipSync(Buffer.alloc(16 << 20, 0x20), { level: constants.Z_BEST_SPEED })));

export const replies = {
  'infinite-body': {
    answer: ({ socket }) => {
      socket.write(head([json, chunked]));
      pour(socket, `10000\r\n${' '.repeat(65_536)}\r\n`);
    },
  },
  'infinite-refusal': {
    answer: ({ socket }) => {
      socket.write(`HTTP/1.1 500 No\r\n${chunked}\r\n\r\n`);
      pour(socket, `10000\r\n${'x'.repeat(65_536)}\r\n`);
    },
  },
  'one-byte-a-second': {
    answer: ({ socket }) => {
      socket.write(head([json, 'content-length: 10000']));
      trickle(socket, ' ', 1000);
    },
  },
  'head-by-the-byte': {
    answer: ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
      trickle(socket, 'x', 500);
    },
  },
  'infinite-1xx': { answer: ({ socket }) => pour(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000)) },
  // slow enough that the time of a request ends before the number of informational answers does
  'slow-1xx': { answer: ({ socket }) => trickle(socket, 'HTTP/1.1 102 Processing\r\n\r\n', 3000) },
  redirect: {
    answer: ({ response, words: [port] }) =>
      response.writeHead(307, { location: `http://127.0.0.1:${port}/invocations` }).end(),
  },
  'switch-protocol': {
    answer: ({ socket }) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  },
  'other-protocol': {
    answer: ({ socket, honest }) => {
      const body = bodyOf(honest);
      socket.end(`RTSP/1.0 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    },
  },
  'tiny-chunks': {
    answer: ({ socket }) => socket.write(`${head([json, chunked])}${'1\r\n \r\n'.repeat(100_000)}`),
  },
  'gzip-bomb': { answer: ({ response }) => send(response, gzipBomb(), { 'content-encoding': 'gzip' }) },
  'gzip-bomb-unnamed': { answer: ({ response }) => send(response, gzipSync(Buffer.alloc(1 << 20, 0x20))) },
  'content-length-too-large': {
    answer: ({ socket, honest }) => {
      socket.end(head([json, 'content-length: 10000']) + bodyOf(honest));
    },
  },
  'content-length-too-small': {
    answer: ({ socket, honest }) => socket.write(head([json, 'content-length: 5']) + bodyOf(honest)),
  },
  'content-length-of-an-exabyte': {
    answer: ({ socket }) => socket.write(head([json, 'content-length: 1000000000000000000'])),
  },
  'content-length-negative': { answer: ({ socket }) => socket.write(head([json, 'content-length: -1'])) },
  'content-length-twice': {
    answer: ({ socket, honest }) =>
      socket.write(head([json, 'content-length: 5', `content-length: ${bodyOf(honest).length}`]) + bodyOf(honest)),
  },
  /** Appends the response to a request that was never made to each response. */
  'answers-ahead': {
    answer: ({ socket, honest }) => {
      const answer = (text) => head([json, `content-length: ${text.length}`]) + text;
      socket.write(answer(bodyOf(honest)) + answer(bodyOf(honest.map(() => 'even'))));
    },
  },
  'header-flood': {
    answer: ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      pour(socket, `x-${'y'.repeat(1000)}: ${'z'.repeat(1000)}\r\n`.repeat(32));
    },
  },
  'chunk-extension-flood': {
    answer: ({ socket }) => {
      socket.write(`${head([json, chunked])}1;`);
      pour(socket, 'x'.repeat(65_536));
    },
  },
  'trailer-flood': {
    answer: ({ socket }) => {
      socket.write(`${head([json, chunked])}2\r\n{}\r\n0\r\n`);
      pour(socket, `x-${'y'.repeat(1000)}: ${'z'.repeat(1000)}\r\n`.repeat(32));
    },
  },
  'not-http': { answer: ({ socket }) => pour(socket, Buffer.alloc(65_536, 0x80)) },
  'refusal-with-nul': { answer: ({ response }) => response.writeHead(500).end('no\0GPU\x1b[2J') },
};
