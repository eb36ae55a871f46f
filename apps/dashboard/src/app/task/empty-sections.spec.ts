import { HttpClient, provideHttpClient } from '@angular/common/http';
import { HttpTestingController, provideHttpClientTesting } from '@angular/common/http/testing';
import type { Type } from '@angular/core';
import { TestBed } from '@angular/core/testing';
import { provideRouter } from '@angular/router';
import { client } from '@assay/api-client/angular';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { LeadersSection } from './leaders-section.js';
import { TrendSection } from './trend-section.js';

describe('the overview of a task', () => {
  beforeEach(() => {
    TestBed.configureTestingModule({
      providers: [provideRouter([]), provideHttpClient(), provideHttpClientTesting()],
    });
    client.setConfig({ httpClient: TestBed.inject(HttpClient) });
  });

  async function shown(
    section: Type<unknown>,
    inputs: Readonly<Record<string, string>>,
    { status = 200, ...body }: { readonly status?: number; readonly [key: string]: unknown },
  ): Promise<HTMLElement> {
    const fixture = TestBed.createComponent(section);
    for (const [name, value] of Object.entries(inputs)) fixture.componentRef.setInput(name, value);
    TestBed.tick();
    TestBed.inject(HttpTestingController)
      .expectOne(({ url }) => url.includes('/tasks/moods/'))
      .flush({ ...body, status }, { status, statusText: 'answered' });
    await fixture.whenStable();
    return fixture.nativeElement as HTMLElement;
  }

  it('says what will be there while no model is scored, and shows no error', async () => {
    const inputs = { slug: 'moods', performance: 'accuracy' };
    const page = await shown(LeadersSection, inputs, { status: 404, code: 'no_board_yet', detail: 'no board' });
    expect(page.querySelector('[role=alert]')).toBeNull();
    expect(page.querySelector('app-empty')!.textContent).toContain('Submit one to be the first.');
  });

  it('does not invite the first submission where models are scored and none has a rank', async () => {
    const incomplete = [{ model: { id: 'm', name: 'M', owner: 'o' }, pending: false, missing: [] }];
    const inputs = { slug: 'moods', performance: 'accuracy' };
    const page = await shown(LeadersSection, inputs, { rows: [], incomplete, references: [] });
    const text = page.querySelector('app-empty')!.textContent;
    expect(text).toContain('No model has a rank yet');
    expect(text).not.toContain('first three models');
    expect(page.querySelector('app-empty a')!.getAttribute('href')).toBe('/tasks/moods/leaderboard');
  });

  it('shows any other error', async () => {
    const inputs = { slug: 'moods', performance: 'accuracy' };
    const page = await shown(LeadersSection, inputs, { status: 500, code: 'internal', detail: 'It broke.' });
    expect(page.querySelector('[role=alert]')!.textContent).toContain('It broke.');
  });

  it('shows no axes without lines where no model is ranked on the rounds', async () => {
    const round = { round: 1, human: null, models: [] };
    const page = await shown(TrendSection, { slug: 'moods' }, { performance: 'accuracy', rounds: [round] });
    expect(page.querySelector('app-chart')).toBeNull();
    expect(page.querySelector('app-empty')!.textContent).toContain('once models are ranked');
  });
});
