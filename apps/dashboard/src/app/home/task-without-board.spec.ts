import { provideHttpClient } from '@angular/common/http';
import { HttpTestingController, provideHttpClientTesting } from '@angular/common/http/testing';
import type { Type } from '@angular/core';
import { TestBed } from '@angular/core/testing';
import { provideRouter } from '@angular/router';
import type { Overview } from '@assay/api-client/angular';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { SaturationSection } from './saturation-section.js';
import { TasksTable } from './tasks-table.js';

type Task = Overview['items'][number];

const EMPTY: Task = {
  ...{ task: 'empty', name: 'Empty task', rounds: 0, openRound: null, examples: 0, models: 0, leaders: [] },
  vmer: { value: null, low: null, high: null, numerator: 0, denominator: 0, pending: 0 },
  saturation: null,
};
const RANKED: Task = {
  ...EMPTY,
  ...{ task: 'ranked', name: 'Ranked task', models: 1 },
  leaders: [{ rank: 1, model: { id: 'm', name: 'Best', owner: 'ada' }, dynascore: 1, performance: null }],
  saturation: {
    ...{ performance: 'accuracy', first: 0.5, human: null, reason: 'no_human_figure', datasets: ['one'], points: [] },
  },
};

describe('a task without a board', () => {
  beforeEach(() => {
    TestBed.configureTestingModule({
      providers: [provideRouter([]), provideHttpClient(), provideHttpClientTesting()],
    });
  });

  async function shown(section: Type<unknown>): Promise<HTMLElement> {
    const fixture = TestBed.createComponent(section);
    fixture.componentRef.setInput('tasks', [EMPTY, RANKED]);
    await fixture.whenStable();
    return fixture.nativeElement as HTMLElement;
  }

  it('has a sentence in place of the list of leaders, whose columns would break it', async () => {
    const page = await shown(TasksTable);
    const sentences = [...page.querySelectorAll('.muted.small')].filter(({ textContent }) =>
      /ranked/.test(textContent),
    );
    // in the table, and on the card for phones
    expect(sentences).toHaveLength(2);
    for (const sentence of sentences) expect(sentence.closest('ol')).toBeNull();
    expect(page.querySelectorAll('ol')).toHaveLength(2);
  });

  it('has no empty figures on its card for phones', async () => {
    const page = await shown(TasksTable);
    const termsOf = (card: Element): readonly string[] =>
      [...card.querySelectorAll('dt')].map(({ textContent }) => textContent.trim());
    expect([...page.querySelectorAll('.cards li.panel')].map(termsOf)).toEqual([[], ['Models']]);
  });

  it('has no row of saturation, and costs no request', async () => {
    const page = await shown(SaturationSection);
    TestBed.inject(HttpTestingController).verify();
    expect([...page.querySelectorAll('tbody a')].map(({ textContent }) => textContent)).toEqual(['Ranked task']);
    expect(page.querySelector('[role=alert]')).toBeNull();
  });
});
