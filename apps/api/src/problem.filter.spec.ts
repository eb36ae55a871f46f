import { describe, expect, it } from '@jest/globals';
import { DomainError, RefusedForNow } from '@assay/kernel';
import { type ArgumentsHost, Logger, NotFoundException } from '@nestjs/common';
import { contentDigest } from './bodies/streamed-bodies.js';
import { ProblemFilter } from './problem.filter.js';

/** Returns the response to `error`; the body is null if there is no response. */
function answerTo(error: unknown, isBodyComplete = true) {
  const answer = { status: 0, headers: {} as Record<string, string>, body: null as Record<string, unknown> | null };
  const reply = {
    sent: false,
    header(name: string, value: string) {
      answer.headers[name] = value;
      return reply;
    },
    status(status: number) {
      answer.status = status;
      return reply;
    },
    send(body: string) {
      answer.body = JSON.parse(body) as Record<string, unknown>;
    },
  };
  const request = { id: 'request-1', ip: '127.0.0.1', routeOptions: {}, raw: { complete: isBodyComplete } };
  const http = { getResponse: () => reply, getRequest: () => request };
  Logger.overrideLogger(false);
  new ProblemFilter().catch(error, { switchToHttp: () => http } as unknown as ArgumentsHost);
  return answer.body ? answer : null;
}

describe('problem details', () => {
  it.each([
    ['invalid', 'bad_line', 422],
    ['unauthenticated', 'sign_in', 401],
    ['forbidden', 'not_the_owner', 403],
    ['not-found', 'not_found', 404],
    ['conflict', 'artifact_differs', 409],
    ['too-large', 'artifact_too_large', 413],
    ['unavailable', 'cold', 503],
    ['unavailable', 'storage_full', 507],
  ] as const)('of a refusal that is %s with the code %s have the status %i', (kind, code, status) => {
    const answer = answerTo(new DomainError(kind, code, 'Why.', [{ path: 'a', message: 'b' }]));

    expect(answer!.body).toMatchObject({ status, code, detail: 'Why.', errors: [{ path: 'a', message: 'b' }] });
    expect(answer!.headers['content-type']).toBe('application/problem+json');
    expect('retry-after' in answer!.headers).toBe(status === 503 || status === 507);
  });

  it('of a refusal that ends by itself say when', () => {
    const answer = answerTo(new RefusedForNow('quota_day', 'Why.', 7));
    expect(answer!.body).toMatchObject({ status: 429, code: 'quota_day' });
    expect(answer!.headers['retry-after']).toBe('7');
  });

  it('keep the status of what the framework refused', () => {
    expect(answerTo(new NotFoundException())!.body).toMatchObject({ status: 404, code: 'not_found' });
    expect(answerTo(Object.assign(new Error('no'), { statusCode: 415 }))!.body).toMatchObject({
      code: 'unsupported_media_type',
    });
  });

  it('say that what took the database too long can be tried again', () => {
    const answer = answerTo(
      Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' }),
    );
    expect(answer).toMatchObject({
      status: 503,
      body: { code: 'database_unavailable' },
      headers: { 'retry-after': '5' },
    });
  });

  it('say that what lost against somebody else can be tried again', () => {
    for (const code of ['40001', '40P01']) {
      const answer = answerTo(Object.assign(new Error('deadlock detected'), { code }))!;
      expect(answer).toMatchObject({ status: 503, body: { code: 'overtaken' }, headers: { 'retry-after': '5' } });
    }
  });

  it('tell nothing of what went wrong inside', () => {
    const { body } = answerTo(new Error('the password is swordfish'))!;
    expect(body).toMatchObject({ status: 500, code: 'internal' });
    expect(JSON.stringify(body)).not.toContain('swordfish');
    expect(answerTo(Object.assign(new Error('x'), { code: '57P01' }))!.body).toMatchObject({ status: 503 });
  });

  it('are not sent to a client that cut the request off', () => {
    const cut = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    expect(answerTo(cut, false)).toBeNull();
    expect(answerTo(cut, true)!.status).toBe(503);
  });
});

describe('Content-Digest', () => {
  const digest = 'uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=';

  it('gives the sha256, beside others', () => {
    const hex = 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9';
    expect(contentDigest(`sha-256=:${digest}:`)).toBe(hex);
    expect(contentDigest(`md5=:AAAA:, sha-256=:${digest}:`)).toBe(hex);
    expect(contentDigest(undefined)).toBeUndefined();
  });

  it.each(['sha-256=abc', `sha-512=:${digest}:`, ''])('refuses %j', (header) => {
    expect(() => contentDigest(header)).toThrow(expect.objectContaining({ code: 'bad_content_digest' }));
  });
});
