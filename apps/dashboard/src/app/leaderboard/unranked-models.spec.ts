import { signal } from '@angular/core';
import { type ComponentFixture, TestBed } from '@angular/core/testing';
import { provideRouter } from '@angular/router';
import type { Leaderboard } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import { BoardState } from './board/board-state.js';
import { UnrankedModels } from './unranked-models.js';

type Incomplete = Leaderboard['incomplete'][number];

const NOTHING_RAN = 'no throughput, memory: predictions were uploaded, so no model ran';

const model = (id: string, missing: Readonly<Record<string, string>>, pending = false): Incomplete => ({
  model: { id, name: `model ${id}`, owner: 'ada' },
  pending,
  missing: Object.entries(missing).map(([dataset, why]) => ({ dataset, why })),
});

describe('the models without a rank', () => {
  let fixture: ComponentFixture<UnrankedModels>;

  async function show(...incomplete: readonly Incomplete[]): Promise<void> {
    const state = { slug: signal('moods'), board: signal({ incomplete }) };
    TestBed.configureTestingModule({ providers: [provideRouter([]), { provide: BoardState, useValue: state }] });
    fixture = TestBed.createComponent(UnrankedModels);
    await fixture.whenStable();
  }
  const textsOf = (selector: string): readonly string[] =>
    [...(fixture.nativeElement as HTMLElement).querySelectorAll(selector)].map((element) =>
      element.textContent.replace(/\s+/g, ' ').trim(),
    );

  it('are grouped by reason, each of which is said once with its datasets', async () => {
    const all = { r1: NOTHING_RAN, r2: NOTHING_RAN, r3: NOTHING_RAN };
    await show(model('c', { r1: 'out of memory' }), model('a', all), model('b', all));

    expect(textsOf('summary')).toEqual(['3 unranked models']);
    expect(textsOf('dt')).toEqual([
      'No throughput, memory: predictions were uploaded, so no model ran r1, r2, r3',
      'Out of memory r1',
    ]);
    expect(textsOf('dd:first-of-type li')).toEqual(['model a ada', 'model b ada']);
    // names in other directions do not reorder the line
    expect(textsOf('dd:first-of-type bdi')).toEqual(['model a', 'ada', 'model b', 'ada']);
    expect(textsOf('li')).toHaveLength(3);
  });

  it('name their own datasets where one reason is about others for another model', async () => {
    await show(
      model('a', { r1: 'out of memory', r2: 'out of memory' }),
      model('b', { r2: 'out of memory', r3: 'the container exited' }),
    );

    expect(textsOf('dt')).toEqual(['Out of memory', 'The container exited r3']);
    expect(textsOf('li')).toEqual(['model a ada · r1, r2', 'model b ada · r2', 'model b ada']);
  });

  it('are apart from those whose evaluation is not over', async () => {
    await show(model('a', { r1: 'not evaluated yet' }, true), model('b', { r1: 'cancelled' }));
    expect(textsOf('summary')).toEqual(['1 still evaluating', '1 unranked model']);
  });

  it('take no room where all models have a rank', async () => {
    await show();
    expect(textsOf('details')).toEqual([]);
  });
});
