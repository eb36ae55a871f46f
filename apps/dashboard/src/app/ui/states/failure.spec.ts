import { TestBed } from '@angular/core/testing';
import { provideRouter } from '@angular/router';
import { beforeEach, expect, it } from '@jest/globals';
import { Failure } from './failure.js';

beforeEach(() => {
  TestBed.configureTestingModule({ providers: [provideRouter([])] });
});

async function shown(code: string, status: number): Promise<HTMLElement> {
  const fixture = TestBed.createComponent(Failure);
  fixture.componentRef.setInput('problem', { code, status, detail: 'No board yet.', errors: [] });
  await fixture.whenStable();
  return fixture.nativeElement as HTMLElement;
}

it('notes that nothing is scored yet, without an alarm', async () => {
  // 409 where a preview needs a board
  for (const status of [404, 409]) {
    const page = await shown('no_board_yet', status);
    expect(page.querySelector('[role=alert]')).toBeNull();
    expect(page.querySelector('app-empty p')!.textContent).toBe('No board yet.');
    expect(page.querySelector('button, a')).toBeNull();
  }
});

it('says what went wrong, and what can be done', async () => {
  const missing = await shown('not_found', 404);
  expect(missing.querySelector('[role=alert]')!.textContent).toContain('No board yet.');
  expect(missing.querySelector('a')!.textContent).toBe('Go to the tasks');
  expect((await shown('internal', 500)).querySelector('button')!.textContent).toBe('Try again');
});
