import { HttpClient, provideHttpClient } from '@angular/common/http';
import { HttpTestingController, provideHttpClientTesting } from '@angular/common/http/testing';
import { TestBed } from '@angular/core/testing';
import { client } from '@assay/api-client/angular';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CrowdJob } from './crowd-job.js';
import { JOB_ADDRESS } from './job-address.js';

const OFFER = {
  task: {
    name: 'Moods',
    language: 'en',
    inputs: ['text'],
    answer: 'label',
    labels: ['no', 'yes'],
    contentWarning: null,
  },
  pay: { amount: 2, currency: 'USD', minutes: 10 },
};
const QUESTION = { name: 'age', label: 'How old is it?', type: 'number', required: true };
const RULES = { written: ['text'], fooled: 'label-differs', explanations: [], fields: [], length: { longest: 100 } };
const GIVEN = {
  round: 3,
  context: { id: 'c1', content: { place: 'here' }, tags: [] },
  goal: null,
  models: 1,
  rules: RULES,
};
const ANNOTATION = { id: 'a1', fooled: true, answers: [{ answer: 'no' }], choices: null, explanations: {}, extra: {} };
const STARTING = { code: 'model_starting', status: 503, detail: 'The model is starting.' };
const WRITES = '/tasks/moods/rounds/3/annotations';

/** Lets everything that the last response caused happen. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 30; turn++) await Promise.resolve();
};

describe('the job of a crowd worker', () => {
  let http: HttpTestingController;
  let job: CrowdJob;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['queueMicrotask', 'nextTick'] });
    localStorage.clear();
    TestBed.configureTestingModule({
      providers: [
        CrowdJob,
        provideHttpClient(),
        provideHttpClientTesting(),
        { provide: JOB_ADDRESS, useValue: { link: 'a.b.c', ids: {}, isPreview: false } },
      ],
    });
    client.setConfig({ httpClient: TestBed.inject(HttpClient) });
    http = TestBed.inject(HttpTestingController);
    job = TestBed.inject(CrowdJob);
  });
  afterEach(() => {
    http.verify();
    jest.useRealTimers();
  });

  /** Answers the request for a path of the API. Returns the body of the request. */
  async function answer(path: string, body: object | null, status = 200): Promise<unknown> {
    await settled();
    const request = http.expectOne(({ url }) => url === `/api/v1${path}`);
    request.flush(body, { status, statusText: String(status) });
    await settled();
    return request.request.body;
  }

  const session = (more: object = {}) => ({
    state: 'working',
    task: 'moods',
    examples: { done: 0, of: 2 },
    onboarding: null,
    ...more,
  });

  async function begun(more: object = {}, consent: object = { isEnough: true }): Promise<void> {
    void job.open();
    await answer('/crowd/links/a.b.c', OFFER);
    void job.begin();
    await answer('/crowd/sessions', { token: 't', session: session(more) }, 201);
    await answer('/tasks/moods/consent', consent);
  }

  async function writing(given: object = GIVEN): Promise<void> {
    await begun();
    await answer('/tasks/moods/annotate/next', given);
  }

  async function answeredWith(annotation: object): Promise<void> {
    job.change({ input: { text: 'So good.' }, label: 'yes' });
    void job.send();
    await answer(WRITES, annotation, 201);
    await answer('/crowd/sessions/current', session({ examples: { done: 1, of: 2 } }));
  }

  it('says what is wrong with a link', async () => {
    void job.open();
    await answer('/crowd/links/a.b.c', { code: 'invalid_link', status: 403, detail: 'Not a link.' }, 403);
    expect([job.step(), job.problemText()]).toEqual(['unavailable', 'Not a link.']);
  });

  it('asks for consent first', async () => {
    await begun({}, { isEnough: false });
    expect(job.step()).toBe('terms');
    void job.resume();
    await answer('/tasks/moods/consent', { isEnough: true });
    await answer('/tasks/moods/annotate/next', GIVEN);
    expect([job.step(), job.place()]).toEqual(['writing', 1]);
  });

  it('repeats the test as long as there are attempts', async () => {
    const test = (attemptsLeft: number) => ({ questions: [{ text: 'awful' }], attemptsLeft, pass: 1 });
    await begun({ state: 'onboarding', onboarding: test(2) });
    expect([job.step(), job.hasMissed()]).toEqual(['test', false]);
    void job.answerTest(['yes']);
    const sent = await answer(
      '/crowd/sessions/current/onboarding',
      session({ state: 'onboarding', onboarding: test(1) }),
    );
    await answer('/tasks/moods/consent', { isEnough: true });
    expect([sent, job.step(), job.hasMissed()]).toEqual([{ answers: ['yes'] }, 'test', true]);
    void job.answerTest(['yes']);
    await answer('/crowd/sessions/current/onboarding', session({ state: 'failed' }));
    expect(job.step()).toBe('failed');
  });

  it('sends an example again under the same key while a model starts', async () => {
    await writing();
    job.change({ input: { text: 'So good.' }, label: 'yes' });
    void job.send();
    const first = await answer(WRITES, STARTING, 503);
    expect([job.step(), job.asking(), job.wait()]).toEqual(['writing', true, 'The model is starting.']);
    jest.advanceTimersByTime(3_000);
    const second = await answer(WRITES, ANNOTATION, 201);
    await answer('/crowd/sessions/current', session({ examples: { done: 1, of: 2 } }));

    expect(second).toEqual(first);
    expect(second).toMatchObject({
      context: 'c1',
      input: { text: 'So good.' },
      label: 'yes',
      seconds: expect.any(Number),
    });
    expect([job.step(), job.asking(), job.wait(), job.place()]).toEqual(['answered', false, '', 1]);
  });

  it('keeps what was written after a problem, and sends it under the same key', async () => {
    await writing();
    job.change({ input: { text: 'So good.' }, label: 'yes' });
    void job.send();
    const first = await answer(WRITES, { code: 'unknown_label', status: 422, detail: 'Not a label.' }, 422);
    expect([job.step(), job.problemText()]).toEqual(['writing', 'Not a label.']);
    job.change({ label: 'no' });
    expect(job.problemText()).toBe('');
    void job.send();
    const second = await answer(WRITES, ANNOTATION, 201);
    await answer('/crowd/sessions/current', session());
    expect((second as { key: string }).key).toBe((first as { key: string }).key);
  });

  it('asks the questions of the task before it sends', async () => {
    await writing({ ...GIVEN, rules: { ...RULES, fields: [QUESTION] } });
    job.change({ input: { text: 'So good.' }, label: 'yes' });
    await job.send();
    expect(job.problemText()).toContain('How old is it?');
    job.explain({ extra: { age: 3, more: '' } });
    void job.send();
    expect(await answer(WRITES, ANNOTATION, 201)).toMatchObject({ extra: { age: 3 } });
    await answer('/crowd/sessions/current', session());
  });

  it('needs to know whether the model is wrong where the task asks that', async () => {
    await writing({ ...GIVEN, rules: { ...RULES, fooled: 'ask' } });
    await answeredWith({ ...ANNOTATION, fooled: null });
    await job.next();
    expect([job.step(), job.problemText()]).toEqual(['answered', expect.stringContaining('whether')]);
    job.explain({ fooled: false });
    void job.next();
    expect(await answer('/annotations/a1', { ...ANNOTATION, fooled: false })).toEqual({ fooled: false });
    await answer('/tasks/moods/consent', { isEnough: true });
    await answer('/tasks/moods/annotate/next', GIVEN);
    expect([job.step(), job.place()]).toEqual(['writing', 2]);
  });

  it('returns to what was written if the worker does not leave', async () => {
    await writing();
    job.change({ input: { text: 'So' } });
    job.askToLeave();
    expect(job.step()).toBe('leaving');
    job.stay();
    expect([job.step(), job.draft()?.input]).toEqual(['writing', { text: 'So' }]);
  });

  it('finishes early', async () => {
    await writing();
    job.askToLeave();
    void job.finish(true);
    const sent = await answer('/crowd/sessions/current/finish', session({ state: 'finished', finished: { paid: 0 } }));
    expect([sent, job.step()]).toEqual([{ early: true }, 'finished']);
  });

  it('replaces a context that the worker reports', async () => {
    await writing();
    void job.flag('It is empty.');
    expect(await answer('/contexts/c1/flag', null, 204)).toEqual({ reason: 'It is empty.' });
    await answer('/tasks/moods/consent', { isEnough: true });
    await answer('/tasks/moods/annotate/next', { ...GIVEN, context: { ...GIVEN.context, id: 'c2' } });
    expect([job.step(), job.draft()?.context]).toEqual(['writing', 'c2']);
  });
});
