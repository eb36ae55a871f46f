import { HttpClient, provideHttpClient } from '@angular/common/http';
import { HttpTestingController, provideHttpClientTesting } from '@angular/common/http/testing';
import { signal } from '@angular/core';
import { TestBed } from '@angular/core/testing';
import { client } from '@assay/api-client/angular';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Session } from '../session/session.js';
import { TaskContext } from '../task/task-context.js';
import { Annotating } from './annotating.js';
import { SavedExample } from './saved-example.js';

const GIVEN = {
  round: 1,
  context: { id: 'c1', content: { premise: 'It rains.' }, tags: [] },
  condition: null,
  goal: null,
  models: 1,
  rules: {
    written: ['text'],
    labels: ['no', 'yes'],
    fooled: 'label-differs',
    facing: 'one',
    prompt: 'none',
    fields: [],
  },
  left: 5,
  reservedUntil: '',
};
const STARTS = { code: 'model_starting', status: 503, detail: 'The model is starting.', errors: [] };
const ANNOTATION = {
  id: 'a1',
  fooled: true,
  answers: [],
  label: ['yes'],
  input: { text: 'So good.' },
  explanations: {},
  extra: {},
  retractedAt: null,
};
const WRITES = '/api/v1/tasks/tone/rounds/1/annotations';

/** Lets what the last answer set off happen. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

describe('an example that is saved without an answer', () => {
  let http: HttpTestingController;
  let work: Annotating;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['queueMicrotask', 'nextTick'] });
    localStorage.clear();
    TestBed.configureTestingModule({
      providers: [
        Annotating,
        provideHttpClient(),
        provideHttpClientTesting(),
        { provide: TaskContext, useValue: { slug: signal('tone') } },
        { provide: Session, useValue: { whoIsThere: () => Promise.resolve({ username: 'ada' }) } },
      ],
    });
    client.setConfig({ httpClient: TestBed.inject(HttpClient) });
    http = TestBed.inject(HttpTestingController);
    work = TestBed.inject(Annotating);
  });
  afterEach(() => {
    http.verify();
    jest.useRealTimers();
  });

  const answer = async (url: string, body: object, status = 200): Promise<void> => {
    http.expectOne((request) => request.url.endsWith(url)).flush(body, { status, statusText: String(status) });
    await settled();
  };

  /** Writes an example that no model answers yet. */
  async function saved(): Promise<void> {
    void work.start();
    await settled();
    await answer('/annotate/next', GIVEN);
    work.change({ input: { text: 'So good.' }, label: 'yes' });
    void work.send();
    await settled();
    expect(work.phase()).toBe('asking');
    await answer(WRITES, STARTS, 503);
  }

  async function panel() {
    const fixture = TestBed.createComponent(SavedExample);
    fixture.componentRef.setInput('task', { inputs: [{ name: 'text', type: 'text' }], language: 'en' });
    fixture.componentRef.setInput('why', 'The model is starting.');
    const text = async (): Promise<string> => {
      fixture.detectChanges();
      await settled();
      return (fixture.nativeElement as HTMLElement).textContent.replaceAll(/\s+/g, ' ');
    };
    return { fixture, text: await text().then(() => text) };
  }

  it('stays explained while the models are asked again, and after they did not answer again', async () => {
    await saved();
    expect([work.phase(), work.problem()?.detail]).toEqual(['waiting', 'The model is starting.']);

    void work.send();
    await settled();
    expect([work.phase(), work.retrying(), work.problem()?.detail]).toEqual([
      'waiting',
      true,
      'The model is starting.',
    ]);
    await answer(WRITES, { ...STARTS, detail: 'The model still starts.' }, 503);
    expect([work.phase(), work.retrying(), work.problem()?.detail]).toEqual([
      'waiting',
      false,
      'The model still starts.',
    ]);
  });

  it('counts down to the next retry, asks by itself, and shows that it asks', async () => {
    await saved();
    const { fixture, text } = await panel();
    expect(await text()).toContain('Your example is savedThe model is starting.Asking again in 5 s');
    jest.advanceTimersByTime(2_000);
    expect(await text()).toContain('Asking again in 3 s');
    jest.advanceTimersByTime(3_000);
    await settled();
    expect(await text()).toContain('Your example is savedThe model is starting.Asking the models…');

    await answer(WRITES, STARTS, 503);
    expect(await text()).toContain('Asking again in 5 s');
    fixture.destroy();
  });

  it('is sent again as it was, and shows its answer when it comes', async () => {
    await saved();
    void work.send();
    await settled();
    const again = http.expectOne((request) => request.url.endsWith(WRITES));
    expect(again.request.body).toMatchObject({ input: { text: 'So good.' }, label: 'yes' });
    again.flush(ANNOTATION);
    await settled();
    expect([work.phase(), work.sent(), work.inRow()]).toEqual(['answered', 1, 1]);
  });

  it('does not come back to somebody who went on to another context while it was asked about', async () => {
    await saved();
    void work.send();
    await settled();
    const again = http.expectOne((request) => request.url.endsWith(WRITES));
    void work.next();
    await settled();
    await answer('/annotate/next', { ...GIVEN, context: { ...GIVEN.context, id: 'c2' } });
    again.flush(ANNOTATION);
    await settled();
    expect([work.phase(), work.draft()?.context, work.sent()]).toEqual(['writing', 'c2', 1]);
  });
});
