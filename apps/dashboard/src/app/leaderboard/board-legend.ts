import { Component, computed, inject } from '@angular/core';
import { Term } from '../ui/term.js';
import { BoardState } from './board-state.js';

/** What the marks of the table mean, of those that are there. */
@Component({
  selector: 'app-board-legend',
  imports: [Term],
  template: `
    <ul>
      <li>
        <i class="interval" aria-hidden="true"></i><span i18n>95% interval, on a scale that the column shares</span>
      </li>
      @if (hasLoop()) {
        <li><i class="dot" aria-hidden="true"></i><app-term name="loop" /></li>
      }
      @if (hasOwn()) {
        <li>
          <i class="own" aria-hidden="true"></i
          ><span i18n><app-term name="own">own</app-term>: collected against this model</span>
        </li>
        <li><span aria-hidden="true">≈</span><app-term name="estimated" /></li>
      }
      @if (hasExposed()) {
        <li>
          <span class="exposed" aria-hidden="true">57.0</span
          ><span i18n><app-term name="exposure">exposed</app-term>: data was public before the model came</span>
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

    .own {
      width: 20px;
      height: 14px;
      border: 1px solid var(--line-control);
      background-image: repeating-linear-gradient(
        135deg,
        transparent 0 4px,
        color-mix(in srgb, var(--caution) 45%, transparent) 4px 5.5px
      );
    }

    .exposed {
      text-decoration: underline dotted var(--muted);
      text-underline-offset: 3px;
    }
  `,
})
export class BoardLegend {
  private readonly state = inject(BoardState);

  protected readonly hasLoop = computed(() => this.state.loop().size > 0);
  protected readonly hasOwn = computed(() => this.state.file()?.matrix.own.includes(1) ?? false);
  protected readonly hasExposed = computed(() => this.state.file()?.clean.includes(0) ?? false);
}
