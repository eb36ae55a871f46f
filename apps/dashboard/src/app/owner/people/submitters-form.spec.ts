import { HttpClient, provideHttpClient } from '@angular/common/http';
import { HttpTestingController, provideHttpClientTesting, type TestRequest } from '@angular/common/http/testing';
import type { ComponentFixture } from '@angular/core/testing';
import { TestBed } from '@angular/core/testing';
import { client } from '@assay/api-client/angular';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TaskContext } from '../../task/task-context.js';
import { SubmittersForm } from './submitters-form.js';

describe('the submitters of a task', () => {
  let fixture: ComponentFixture<SubmittersForm>;
  let http: HttpTestingController;

  beforeEach(() => {
    const context = { slug: () => 'moods', path: () => ({ path: { slug: 'moods' } }) };
    TestBed.configureTestingModule({
      providers: [provideHttpClient(), provideHttpClientTesting(), { provide: TaskContext, useValue: context }],
    });
    client.setConfig({ httpClient: TestBed.inject(HttpClient) });
    http = TestBed.inject(HttpTestingController);
    fixture = TestBed.createComponent(SubmittersForm);
    TestBed.tick();
  });
  afterEach(() => http.verify());

  const page = (): HTMLElement => fixture.nativeElement as HTMLElement;
  const box = (): HTMLInputElement => page().querySelector('input[type=checkbox]')!;
  const names = (): HTMLTextAreaElement | null => page().querySelector('textarea');
  const button = (): HTMLButtonElement => page().querySelector('aside button')!;
  const effect = (): string => page().querySelector('aside p')!.textContent.trim();
  const request = (method: string): TestRequest =>
    http.expectOne((each) => each.method === method && each.url.endsWith('/tasks/moods/submitters'));

  /** Lets what was answered take effect, and begins the requests that follow. */
  async function settle(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve));
    TestBed.tick();
  }

  async function load(usernames: readonly string[] | null): Promise<void> {
    request('GET').flush({ usernames });
    await fixture.whenStable();
    TestBed.tick();
  }

  function type(text: string): void {
    names()!.value = text;
    names()!.dispatchEvent(new Event('input'));
    TestBed.tick();
  }

  function toggle(): void {
    box().click();
    TestBed.tick();
  }

  it('show that they load', async () => {
    expect(page().querySelector('app-skeleton')).not.toBeNull();
    await load(null);
    expect(page().querySelector('app-skeleton')).toBeNull();
  });

  it('show that loading failed', async () => {
    const problem = { code: 'database_unavailable', detail: 'The database does not answer.' };
    request('GET').flush(problem, { status: 503, statusText: 'Unavailable' });
    await fixture.whenStable();
    TestBed.tick();
    expect(page().textContent).toContain('The database does not answer.');
    expect(button()).toBeNull();
  });

  it('are everyone without a list', async () => {
    await load(null);
    expect(box().checked).toBe(false);
    expect(names()).toBeNull();
    expect([effect(), button().disabled]).toEqual(['Nothing is changed yet.', true]);
  });

  it('are those on the list, one a line', async () => {
    await load(['ada', 'ben']);
    expect(box().checked).toBe(true);
    expect(names()!.value).toBe('ada\nben');
    expect([effect(), button().disabled]).toEqual(['Nothing is changed yet.', true]);
  });

  it('are saved as a list, after the page has said what it changes', async () => {
    await load(null);
    toggle();
    expect(effect()).toContain('Nobody but you');
    type('  ada ');
    expect(effect()).toContain('1 person, besides you,');
    type('  ada\n\nben ');
    expect(effect()).toContain('2 people, besides you,');

    button().click();
    await settle();
    expect(button().disabled).toBe(true);
    const sent = request('PUT');
    expect(sent.request.body).toEqual({ usernames: ['ada', 'ben'] });
    sent.flush({ usernames: ['ada', 'ben'] });
    await settle();
    await load(['ada', 'ben']);
    expect([effect(), button().disabled]).toEqual(['Nothing is changed yet.', true]);
  });

  it('are everyone again once the list is switched off', async () => {
    await load(['ada']);
    toggle();
    expect(effect()).toBe('Everyone may submit from then on.');
    button().click();
    await settle();
    const sent = request('PUT');
    expect(sent.request.body).toEqual({ usernames: null });
    sent.flush({ usernames: null });
    await settle();
    await load(null);
    expect(names()).toBeNull();
  });

  it('are nobody else with an empty list', async () => {
    await load(['ada']);
    type('');
    expect(effect()).toContain('Nobody but you');
    button().click();
    await settle();
    const sent = request('PUT');
    expect(sent.request.body).toEqual({ usernames: [] });
    sent.flush({ usernames: [] });
    await settle();
    await load([]);
    expect([box().checked, effect()]).toEqual([true, 'Nothing is changed yet.']);
  });

  it('stay in the form if they are refused, with the reason', async () => {
    await load(null);
    toggle();
    type('ada\nnobody-there');
    button().click();
    await settle();
    const errors = [{ path: 'usernames.1', message: 'no user "nobody-there" exists' }];
    request('PUT').flush(
      { code: 'unknown_user', detail: 'usernames.1: no user "nobody-there" exists.', errors },
      { status: 422, statusText: 'Unprocessable' },
    );
    await settle();
    expect(page().querySelector('[role=alert]')!.textContent).toContain('no user "nobody-there" exists');
    expect(names()!.value).toBe('ada\nnobody-there');
    expect(button().disabled).toBe(false);
  });
});
