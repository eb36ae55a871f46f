import { HttpClient, provideHttpClient, withInterceptors } from '@angular/common/http';
import { HttpTestingController, provideHttpClientTesting, type TestRequest } from '@angular/common/http/testing';
import { TestBed } from '@angular/core/testing';
import { client, consentAsked } from '@assay/api-client/angular';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { browserSecret, workerRequests, WorkerSession } from './worker-session.js';
import { JOB_ADDRESS } from './job-address.js';

beforeEach(() => localStorage.clear());

describe('the secret of a browser', () => {
  it('is 256 random bits', () => {
    const secret = browserSecret(() => localStorage);
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    localStorage.clear();
    expect(browserSecret(() => localStorage)).not.toBe(secret);
  });

  it('is the same at the next visit', () => {
    expect(browserSecret(() => localStorage)).toBe(browserSecret(() => localStorage));
  });

  it('lasts as long as the page where the browser refuses storage', () => {
    const refused = (): Storage => {
      throw new DOMException('The request is insecure.', 'SecurityError');
    };
    expect(browserSecret(refused)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('lasts as long as the page where storage is full', () => {
    const full = {
      getItem: () => null,
      setItem: () => {
        throw new DOMException('', 'QuotaExceededError');
      },
    };
    expect(browserSecret(() => full)).toMatch(/^[0-9a-f]{64}$/);
  });
});

const EXPIRED = { code: 'invalid_token', status: 401, detail: 'The token has expired.' };
const STARTS = '/api/v1/crowd/sessions';
const READS = '/api/v1/tasks/moods/consent';

/** Lets everything that the last response caused happen. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

describe('the requests of a crowd worker', () => {
  let http: HttpTestingController;
  let session: WorkerSession;

  beforeEach(() => {
    localStorage.clear();
    TestBed.configureTestingModule({
      providers: [
        provideHttpClient(withInterceptors([workerRequests])),
        provideHttpClientTesting(),
        { provide: JOB_ADDRESS, useValue: { link: 'a.b.c', ids: { assignmentId: 'A1' }, isPreview: false } },
      ],
    });
    client.setConfig({ httpClient: TestBed.inject(HttpClient) });
    http = TestBed.inject(HttpTestingController);
    session = TestBed.inject(WorkerSession);
  });
  afterEach(() => http.verify());

  const asked = (url: string): TestRequest => http.expectOne((request) => request.url === url);
  const tokenOf = ({ request }: TestRequest): string | null => request.headers.get('authorization');

  async function answer(request: TestRequest, body: object, status = 200): Promise<void> {
    request.flush(body, { status, statusText: String(status) });
    await settled();
  }

  async function started(token: string): Promise<TestRequest> {
    await settled();
    const request = asked(STARTS);
    await answer(request, { token, session: { state: 'working' } }, 201);
    return request;
  }

  async function read(): Promise<unknown> {
    return consentAsked({ path: { slug: 'moods' } }).then(
      ({ data }) => data,
      (error: unknown) => error,
    );
  }

  it('start a session with the IDs of the platform and the secret of the browser, without a token', async () => {
    void session.start();
    const { request } = await started('t1');
    expect(request.body).toEqual({
      link: 'a.b.c',
      secret: expect.stringMatching(/^[0-9a-f]{64}$/),
      assignmentId: 'A1',
    });
    expect([request.headers.has('authorization'), request.credentials]).toEqual([false, 'omit']);
  });

  it('have the token of the session, and never a cookie', async () => {
    void session.start();
    await started('t1');
    const result = read();
    await settled();
    const request = asked(READS);
    expect([tokenOf(request), request.request.credentials]).toEqual(['Bearer t1', 'omit']);
    await answer(request, { isEnough: true });
    expect(await result).toEqual({ isEnough: true });
  });

  it('are repeated with another token if the first has expired', async () => {
    void session.start();
    await started('t1');
    const result = read();
    await settled();
    await answer(asked(READS), EXPIRED, 401);
    expect(tokenOf(await started('t2'))).toBeNull();
    const repeated = asked(READS);
    expect([tokenOf(repeated), repeated.request.credentials]).toEqual(['Bearer t2', 'omit']);
    await answer(repeated, { isEnough: true });
    expect(await result).toEqual({ isEnough: true });
  });

  it('fail if the session cannot be continued', async () => {
    void session.start();
    await started('t1');
    const result = read();
    await settled();
    await answer(asked(READS), EXPIRED, 401);
    await settled();
    const ended = { code: 'expired_link', status: 403, detail: 'This link has expired.' };
    await answer(asked(STARTS), ended, 403);
    expect(await result).toEqual(ended);
  });

  it('are not repeated twice, and not without a token', async () => {
    const early = read();
    await settled();
    await answer(asked(READS), EXPIRED, 401);
    expect(await early).toEqual(EXPIRED);

    void session.start();
    await started('t1');
    const late = read();
    await settled();
    await answer(asked(READS), EXPIRED, 401);
    await started('t2');
    await answer(asked(READS), EXPIRED, 401);
    expect(await late).toEqual(EXPIRED);
  });
});
