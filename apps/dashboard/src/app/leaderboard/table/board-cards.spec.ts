import { signal } from '@angular/core';
import { TestBed } from '@angular/core/testing';
import { provideRouter } from '@angular/router';
import { describe, expect, it } from '@jest/globals';
import { AGAINST_COLUMN } from '../board/board-columns.js';
import { BoardState } from '../board/board-state.js';
import { BoardCards } from './board-cards.js';
import { BoardLegend } from './board-legend.js';
import { ShownRows } from './shown-rows.js';

const DIFFERENCE = {
  difference: { value: -0.021, low: -0.05, high: 0.008 },
  ...{ p: 0.16, holm: 0.3, verdict: 'none', comparable: 2, of: 3 },
};

describe('the board on a narrow screen', () => {
  /** Provides a board of two ranked models, with the evaluators of users that ran each. */
  function provideBoard(
    evaluators?: readonly (readonly { readonly name: string; readonly owner: string }[])[],
    isAgainst = false,
  ): void {
    const both = Int32Array.of(0, 1);
    const state = {
      file: signal({
        ...{ names: ['albert', 'bert'], owners: ['ada', 'ben'], evaluators, clean: Uint8Array.of(1, 1) },
        matrix: { ids: ['a', 'b'], own: Uint8Array.of(0, 0), performance: 'accuracy' },
      }),
      ...{ ranks: signal({ ranking: { order: both, rank: [1, 2], dynascore: [80, 70] } }), rowModels: signal(both) },
      ...{ shown: signal(both), official: signal({ ranks: [1, 2] }), standings: signal(new Map()) },
      ...{
        query: signal({ sort: null }),
        columns: signal(isAgainst ? [AGAINST_COLUMN] : []),
        view: signal(null),
        scales: signal(new Map()),
      },
      ...{ loop: signal(new Set()), slug: signal('nli'), isCustom: signal(false), isUpdating: signal(false) },
      ...{ differences: signal(new Map([['b', DIFFERENCE]])), against: signal({ metric: 'accuracy' }) },
    };
    TestBed.configureTestingModule({
      providers: [provideRouter([]), ShownRows, { provide: BoardState, useValue: state }],
    });
  }

  async function shown(component: typeof BoardCards | typeof BoardLegend): Promise<HTMLElement> {
    const fixture = TestBed.createComponent<BoardCards | BoardLegend>(component);
    await fixture.whenStable();
    return fixture.nativeElement as HTMLElement;
  }

  it('marks a model that an evaluator of a user ran, and explains the mark', async () => {
    provideBoard([[{ name: 'gpu-1', owner: 'ada' }], []]);

    const cards = [...(await shown(BoardCards)).querySelectorAll('.who')];
    const texts = cards.map(({ textContent }) => textContent.replace(/\s+/g, ' ').trim());
    expect(texts).toEqual(['albert⌂run on gpu-1 (ada), ada', 'bert ben']);
    expect(cards.map((card) => card.querySelector('[title]')?.getAttribute('title'))).toEqual([
      expect.stringMatching(/^run on gpu-1 \(ada\)\n/),
      undefined,
    ]);
    expect((await shown(BoardLegend)).textContent).toMatch(/⌂\s*own evaluator/);
  });

  it('has the difference from the model that the reader chose', async () => {
    provideBoard(undefined, true);

    const differences = [...(await shown(BoardCards)).querySelectorAll('.score')].map((score) => [
      score.textContent.replace(/\s+/g, ' ').trim(),
      score.querySelector('[title]')?.getAttribute('title'),
    ]);
    expect(differences).toEqual([
      [expect.not.stringContaining('difference'), undefined],
      [
        expect.stringMatching(/difference ≈ −2\.1 ± 2\.9$/),
        'no significant difference, corrected p 0.300, 2 of 3 datasets',
      ],
    ]);
  });

  it('has no mark and no legend of it if only evaluators of the service ran models', async () => {
    provideBoard();

    expect((await shown(BoardCards)).textContent).not.toContain('⌂');
    expect((await shown(BoardLegend)).textContent).not.toContain('⌂');
  });
});
