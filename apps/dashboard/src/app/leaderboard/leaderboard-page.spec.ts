import { provideHttpClient } from '@angular/common/http';
import { HttpTestingController, provideHttpClientTesting } from '@angular/common/http/testing';
import { TestBed } from '@angular/core/testing';
import { provideRouter } from '@angular/router';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TaskContext } from '../task/task-context.js';
import { LeaderboardPage } from './leaderboard-page.js';

const MATRIX = '/api/v1/tasks/moods/leaderboard/matrix';

/** A text as the bytes that an answer to a request for bytes has. */
const bytesOf = (text: string): ArrayBuffer => Uint8Array.from(text, (letter) => letter.charCodeAt(0)).buffer;

describe('the leaderboard page', () => {
  const matchMedia = Object.getOwnPropertyDescriptor(window, 'matchMedia');

  beforeEach(() => {
    const wide = { matches: true, addListener: () => undefined, removeListener: () => undefined };
    Object.defineProperty(window, 'matchMedia', { configurable: true, value: () => wide });
    TestBed.configureTestingModule({
      providers: [provideRouter([]), provideHttpClient(), provideHttpClientTesting(), TaskContext],
    });
    TestBed.inject(TaskContext).slug.set('moods');
  });
  afterEach(() => {
    if (matchMedia) Object.defineProperty(window, 'matchMedia', matchMedia);
    else Reflect.deleteProperty(window, 'matchMedia');
  });

  async function shownAfter(status: number, body: string): Promise<HTMLElement> {
    const fixture = TestBed.createComponent(LeaderboardPage);
    TestBed.tick();
    TestBed.inject(HttpTestingController).expectOne(MATRIX).flush(bytesOf(body), { status, statusText: 'refused' });
    await fixture.whenStable();
    return fixture.nativeElement as HTMLElement;
  }

  it('says what will be on the board of a task without scores, and offers the first step', async () => {
    const page = await shownAfter(404, JSON.stringify({ code: 'no_board_yet', status: 404, detail: 'no board' }));
    expect(page.querySelector('[role=alert]')).toBeNull();
    expect(page.textContent).toContain('No model is on this board yet.');
    const link = page.querySelector('app-empty a')!;
    expect(link.textContent).toBe('Submit a model');
    expect(link.getAttribute('href')).toBe('/tasks/moods/submit');
  });

  it("says why a board can't be read, in the service's words", async () => {
    const detail = '"moods" had no board on 2020-01-01.';
    const page = await shownAfter(404, JSON.stringify({ code: 'before_first_revision', status: 404, detail }));
    expect(page.querySelector('[role=alert]')!.textContent).toContain(detail);
    expect(page.querySelector('app-empty')).toBeNull();
  });

  it('gives the status of an answer that is not a problem', async () => {
    const page = await shownAfter(502, '<html>Bad gateway</html>');
    expect(page.querySelector('[role=alert]')!.textContent).toContain('The service answered with 502.');
  });
});
