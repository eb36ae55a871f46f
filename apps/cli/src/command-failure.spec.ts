import { SandboxUnavailable } from '@assay/sandbox';
import { describe, expect, it } from '@jest/globals';
import { asFailure, EXIT_CODES, exitCodesText } from './command-failure.js';
import { refusalOf, unreachable } from './connection/api.js';

describe('exit codes', () => {
  it('follow from the status of the answer', () => {
    const codes = [401, 404, 422, 429, 500, 502, 503].map((status) => refusalOf(status, '').exitCode);
    expect(codes).toEqual([3, 3, 3, 3, 1, 5, 5]);
  });

  it('tell a server that is down, an engine that is missing and a file that is not there', () => {
    const down = unreachable(
      'http://localhost:1/api',
      new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }),
    );
    expect(down).toMatchObject({
      exitCode: 5,
      message: expect.stringContaining('http://localhost:1 does not answer (ECONNREFUSED)'),
    });
    expect(asFailure(new SandboxUnavailable('nothing there'))).toMatchObject({ exitCode: 7 });
    expect(asFailure(Object.assign(new Error(), { code: 'ENOENT', path: 'x.yaml' }))).toMatchObject({
      exitCode: 2,
      message: 'x.yaml cannot be read: it does not exist.',
    });
    expect(asFailure(new Error('boom'))).toMatchObject({ exitCode: 1, message: 'boom' });
  });

  it('stay as they are', () => {
    expect(EXIT_CODES).toMatchInlineSnapshot(`
      {
        "checkFailed": 6,
        "done": 0,
        "interrupted": 130,
        "modelFailed": 4,
        "noEngine": 7,
        "refused": 3,
        "unexpected": 1,
        "unreachable": 5,
        "usage": 2,
        "verificationFailed": 8,
      }
    `);
    expect(exitCodesText().split('\n')).toHaveLength(11);
  });
});

describe('a refusal', () => {
  it("uses the server's words, with every problem that they do not name already", () => {
    const body = JSON.stringify({
      code: 'invalid',
      detail: 'The request is not valid.',
      errors: [
        { path: 'output.labels', message: 'a label is listed twice' },
        { path: '', message: 'unknown key "colour"' },
      ],
    });
    expect(refusalOf(422, body)).toMatchObject({
      code: 'invalid',
      message: 'The request is not valid.\n  output.labels: a label is listed twice\n  unknown key "colour"',
    });
  });

  it('says how to sign in', () => {
    expect(refusalOf(401, '{"detail":"Sign in, or send a token."}').message).toContain('assay login');
  });
});
