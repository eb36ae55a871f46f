import { HttpClient, provideHttpClient } from '@angular/common/http';
import { HttpTestingController, provideHttpClientTesting, type TestRequest } from '@angular/common/http/testing';
import type { ComponentFixture } from '@angular/core/testing';
import { TestBed } from '@angular/core/testing';
import { provideRouter } from '@angular/router';
import { client, type Evaluator, type RemovedEvaluator } from '@assay/api-client/angular';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Session } from '../session/session.js';
import { Confirm } from '../ui/index.js';
import { RegisteredEvaluators } from './registered-evaluators.js';

const fresh: Evaluator = {
  ...{
    id: '1',
    name: 'gpu-1',
    owner: null,
    state: 'new',
    version: null,
    protocol: null,
    host: null,
    slots: null,
    problem: null,
    running: [],
  },
  ...{ lastSeenAt: null, createdAt: '2026-11-01T10:00:00.000Z' },
};
const seen: Evaluator = {
  ...{ id: '2', name: 'of-ada', owner: 'ada', state: 'online', version: '0.1.0', protocol: 1, slots: 6, problem: null },
  running: [],
  host: { architecture: 'amd64', cpus: 8, memoryBytes: 16 * 2 ** 30, runtimes: ['runc'] },
  ...{ lastSeenAt: '2026-11-01T10:20:30.000Z', createdAt: '2026-11-01T10:00:00.000Z' },
};

describe('the registered evaluators', () => {
  let fixture: ComponentFixture<RegisteredEvaluators>;
  let http: HttpTestingController;
  let isSure: boolean;
  let removed: readonly RemovedEvaluator[];

  beforeEach(() => {
    isSure = true;
    removed = [];
    TestBed.configureTestingModule({
      providers: [
        provideRouter([]),
        provideHttpClient(),
        provideHttpClientTesting(),
        { provide: Session, useValue: { user: () => ({ username: 'ada' }) } },
        { provide: Confirm, useValue: { ask: () => Promise.resolve(isSure) } },
      ],
    });
    client.setConfig({ httpClient: TestBed.inject(HttpClient) });
    http = TestBed.inject(HttpTestingController);
  });

  const page = (): HTMLElement => fixture.nativeElement as HTMLElement;
  const button = (name: string): HTMLButtonElement =>
    [...page().querySelectorAll('button')].find((each) => (each.ariaLabel ?? each.textContent).trim() === name)!;
  const request = (method: string): TestRequest => http.expectOne((each) => each.method === method);
  const rows = (): string[][] =>
    [...page().querySelectorAll('tbody tr')].map((row) =>
      [...row.querySelectorAll('th, td')].slice(0, -1).map((cell) => cell.textContent.trim()),
    );

  /** Lets what was answered take effect, and begins the requests that follow. */
  async function settle(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve));
    TestBed.tick();
  }

  async function submit(): Promise<void> {
    page().querySelector('form')!.dispatchEvent(new Event('submit'));
    await settle();
  }

  async function list(...items: readonly Evaluator[]): Promise<void> {
    request('GET').flush({ items, removed, protocols: [1] });
    await fixture.whenStable();
    TestBed.tick();
  }

  function open(own: boolean): void {
    fixture = TestBed.createComponent(RegisteredEvaluators);
    fixture.componentRef.setInput('own', own);
    TestBed.tick();
  }

  it('show that they load, that loading failed, and that there are none', async () => {
    open(true);
    expect(page().querySelector('app-skeleton')).not.toBeNull();
    request('GET').flush(
      { code: 'database_unavailable', detail: 'The database does not answer.' },
      { status: 503, statusText: 'Unavailable' },
    );
    await fixture.whenStable();
    TestBed.tick();
    expect(page().textContent).toContain('The database does not answer.');

    open(true);
    await list();
    expect(page().querySelector('app-empty')!.textContent).toContain('You have no registered evaluators.');
  });

  it('are all shown to an administrator, with whose tasks they serve and what they reported', async () => {
    open(false);
    await list(fresh, seen, { ...seen, id: '3', name: 'old', state: 'offline', protocol: 7 });
    expect(rows().map((row) => row.slice(0, 6))).toEqual([
      ['gpu-1', 'everyone', 'new', '–', '–', '–'],
      ['of-ada', 'ada', 'online', '0.1.0', 'amd64, 8 CPUs, 16.0 GiB, runc', '6'],
      ['old', 'ada', 'protocol 7 not supported', '0.1.0', 'amd64, 8 CPUs, 16.0 GiB, runc', '6'],
    ]);
    expect(rows()[0]!.slice(-2)).toEqual(['never', 'nothing']);
  });

  it('show what they run now, without models that the user may not see', async () => {
    const since = '2026-11-01T10:20:00.000Z';
    const model = { id: 'm1', name: 'bert', owner: 'ben', task: 'nli' };
    open(true);
    await list(
      {
        ...seen,
        running: [
          { stage: 'evaluation', model, since },
          { stage: 'measures', since },
        ],
      },
      { ...seen, id: '3', name: 'idle' },
    );

    const cells = [...page().querySelectorAll('td.running')];
    const lines = [...cells[0]!.querySelectorAll('p')].map(({ textContent }) =>
      textContent.replace(/\s+/g, ' ').trim(),
    );
    expect(lines).toEqual([
      expect.stringMatching(/^bert ?evaluated, /),
      expect.stringMatching(/^a model that you may not see ?measured, /),
    ]);
    expect([...cells[0]!.querySelectorAll('a')].map((link) => link.getAttribute('href'))).toEqual([
      '/tasks/nli/models/m1',
    ]);
    expect(cells[1]!.textContent.trim()).toBe('nothing');
  });

  it('say why one cannot run models, as long as it reports that', async () => {
    const problem = 'The disk of /var/lib/docker has 1.0 MiB free. Runs need at least 512 MiB.';
    open(false);
    await list({ ...seen, problem }, { ...seen, id: '3', name: 'gone', state: 'offline', problem });
    const states = rows().map((row) => row[2]);
    expect(states).toEqual([expect.stringMatching(/^cannot run models/), 'offline']);
    expect(states[0]).toContain(problem);
  });

  it('say which ones were removed, and whether a process still uses their token', async () => {
    const one = { id: '3', name: 'gone', owner: null, removedAt: '2026-11-01T10:00:00.000Z', lastUsedAt: null };
    removed = [one, { ...one, id: '4', name: 'revoked', owner: 'ada', lastUsedAt: '2026-11-01T11:30:00.000Z' }];
    const notes = () => [...page().querySelectorAll('.removed li')].map(({ textContent }) => textContent.trim());
    open(false);
    await list(seen);
    expect(notes()).toEqual([
      expect.stringMatching(/^gone\s*removed/),
      expect.stringMatching(
        /^revoked\s*token still used\s*Removed .+; a process still uses its token, last .+\. Stop that process\.$/,
      ),
    ]);

    open(true);
    await list(seen);
    expect(notes()).toEqual([expect.stringMatching(/^revoked/)]);
  });

  it('are only their own to a user, even if the user is an administrator', async () => {
    open(true);
    await list(fresh, seen);
    expect(rows().map(([name]) => name)).toEqual(['of-ada']);
  });

  it('are registered by name, and the token is shown once', async () => {
    open(false);
    await list();
    const input = page().querySelector('input')!;
    const type = (name: string): void => {
      input.value = name;
      input.dispatchEvent(new Event('input'));
      TestBed.tick();
    };
    type('a b');
    expect(button('Register evaluator').disabled).toBe(true);
    type('gpu-1');
    await submit();
    const sent = request('POST');
    expect(sent.request.body).toEqual({ name: 'gpu-1', own: false });
    sent.flush({ id: '1', name: 'gpu-1', own: false, token: 'assay_evaluator_secret' });
    await settle();
    await list(fresh);
    expect(page().querySelector('[role=status] code')!.textContent).toBe('assay_evaluator_secret');
    expect(page().querySelector('[role=status]')!.textContent).toContain(
      'ASSAY_URL set to the address of this service',
    );
    expect(rows().map(([name]) => name)).toEqual(['gpu-1']);
    expect(input.value).toBe('');
  });

  it('say why one is not registered', async () => {
    open(true);
    await list();
    const input = page().querySelector('input')!;
    input.value = 'gpu-1';
    input.dispatchEvent(new Event('input'));
    TestBed.tick();
    await submit();
    const problem = { code: 'no_task', detail: 'You own no task. Create one first.' };
    request('POST').flush(problem, { status: 403, statusText: 'Forbidden' });
    await settle();
    expect(page().querySelector('[role=alert]')!.textContent).toContain('You own no task.');
  });

  it('are removed after a confirmation', async () => {
    open(false);
    await list(fresh, seen);
    isSure = false;
    button('Remove gpu-1').click();
    await settle();
    http.expectNone((each) => each.method === 'DELETE');

    isSure = true;
    button('Remove gpu-1').click();
    await settle();
    const sent = request('DELETE');
    expect(sent.request.url).toContain('/evaluators/1');
    sent.flush(null, { status: 204, statusText: 'No content' });
    await settle();
    await list(seen);
    expect(rows().map(([name]) => name)).toEqual(['of-ada']);
  });
});
