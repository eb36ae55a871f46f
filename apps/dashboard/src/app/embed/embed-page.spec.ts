import { HttpClient, provideHttpClient } from '@angular/common/http';
import { HttpTestingController, provideHttpClientTesting } from '@angular/common/http/testing';
import { TestBed } from '@angular/core/testing';
import { provideRouter } from '@angular/router';
import { client } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import { EmbedPage } from './embed-page.js';

const row = (name: string, more: object) => ({
  ...{ rank: 1, rankLow: 1, rankHigh: 1, dynascore: 50, model: { id: name, name, owner: 'ada' } },
  ...more,
});

describe('an embedded leaderboard', () => {
  it('marks figures that are not plain measurements, and explains the marks', async () => {
    TestBed.configureTestingModule({
      providers: [provideRouter([]), provideHttpClient(), provideHttpClientTesting()],
    });
    client.setConfig({ httpClient: TestBed.inject(HttpClient) });
    const fixture = TestBed.createComponent(EmbedPage);
    fixture.componentRef.setInput('slug', 'moods');
    TestBed.tick();
    TestBed.inject(HttpTestingController)
      .expectOne(({ url }) => url.includes('/tasks/moods/leaderboard'))
      .flush({
        ...{ task: 'moods', official: true, revision: 3, publishedAt: '2026-01-02T03:04:05.000Z', references: [] },
        ...{ benchmarkVersion: 1, incomplete: [] },
        metrics: [
          { name: 'accuracy', direction: 'higher', unit: 'ratio', weight: 4, amrs: 1 },
          { name: 'memory', direction: 'lower', unit: 'GiB', weight: 1, amrs: 1 },
        ],
        datasets: [{ name: 'r1', version: 1, role: 'round', examples: 9, weight: 1 }],
        rows: [
          row('plain', { metrics: { accuracy: { value: 0.5 }, memory: { value: 1 } }, datasets: {} }),
          row('marked', {
            metrics: { accuracy: { value: 0.4, estimated: true }, memory: { value: 2, contended: true } },
            datasets: {},
            own: ['r1'],
            exposure: { r1: 'exposed' },
          }),
        ],
      });
    await fixture.whenStable();
    const page = fixture.nativeElement as HTMLElement;
    const figures = [...page.querySelectorAll('tbody tr')].map((line) =>
      [...line.querySelectorAll('td')].slice(2).map((cell) => cell.querySelector('[aria-hidden]')?.textContent.trim()),
    );
    expect(figures).toEqual([
      [undefined, undefined],
      ['≈°', '‡'],
    ]);
    for (const name of ['estimated', 'contaminated', 'contended']) expect(page.textContent).toContain(`${name}: `);
  });
});
