import { Component, computed, inject, input } from '@angular/core';
import { FIGURE_MARKS, type FigureMark, OWN_EVALUATOR } from '@assay/scoring/marks';
import { Term } from '../../ui/terms/term.js';
import type { TermName } from '../../ui/terms/terms.js';
import { BoardState } from '../board/board-state.js';

/** The legend of the board, limited to marks that occur on this board. */
@Component({
  selector: 'app-board-legend',
  imports: [Term],
  template: `
    <ul>
      @if (!isNarrow()) {
        <li>
          <i class="interval" aria-hidden="true"></i><span i18n>95% interval, on a scale that the column shares</span>
        </li>
      }
      @if (hasLoop() && !isNarrow()) {
        <li><i class="dot" aria-hidden="true"></i><app-term name="loop" /></li>
      }
      @for (mark of marks(); track mark.term) {
        <li>
          <i [class]="mark.term" aria-hidden="true">{{ mark.text }}</i><app-term [name]="mark.term" />
        </li>
      }
    </ul>
  `,
  styles: `
    ul {
      display: flex;
      flex-wrap: wrap;
      gap: 4px 20px;
      padding: 0;
      color: var(--muted);
      font-size: var(--size-1);
      line-height: 24px;
      list-style: none;
    }

    li {
      display: inline-flex;
      gap: 6px;
      align-items: center;
    }

    .interval {
      width: 20px;
      border-top: 2px solid var(--accent);
    }

    .dot {
      width: 10px;
      height: 10px;
      border-radius: 50%;
      background: var(--accent);
    }

    .own,
    .estimated,
    .exposure,
    .contended,
    .short,
    .rounded,
    .own_evaluator {
      color: var(--text);
      font-style: normal;
    }

    .own {
      min-width: 20px;
      border: 1px solid var(--line-control);
      line-height: 16px;
      text-align: center;
      background-image: repeating-linear-gradient(
        135deg,
        transparent 0 4px,
        color-mix(in srgb, var(--caution) 45%, transparent) 4px 5.5px
      );
    }

    .exposure {
      text-decoration: underline dotted var(--muted);
      text-underline-offset: 3px;
    }
  `,
})
export class BoardLegend {
  /** True if cards are shown, which have no intervals and no dots. */
  readonly isNarrow = input(false);

  private readonly state = inject(BoardState);

  protected readonly hasLoop = computed(() => this.state.loop().size > 0);
  /** The marks that occur on this board: the character of each and the term that explains it. */
  protected readonly marks = computed(() => {
    const file = this.state.file();
    const isOwn = file?.matrix.own.includes(1) ?? false;
    const marks: readonly (readonly [TermName, FigureMark, boolean])[] = [
      ['own', 'own', isOwn],
      ['estimated', 'estimated', isOwn],
      ['exposure', 'contaminated', file?.clean.includes(0) ?? false],
      ['contended', 'contended', file?.contended !== undefined],
      ['short', 'short', file?.short !== undefined],
      ['rounded', 'rounded', file?.rounded !== undefined],
    ];
    return [
      ...marks.flatMap(([term, mark, isThere]) => (isThere ? [{ term, text: FIGURE_MARKS[mark].mark }] : [])),
      ...(file?.evaluators ? [{ term: 'own_evaluator' as const, text: OWN_EVALUATOR.mark }] : []),
    ];
  });
}
