import { Component, computed, input } from '@angular/core';
import type { Inspection } from '@assay/api-client/angular';
import { textOf } from './writing.js';

/** A piece of a text and its weight for the model's answer. Text without a weight has 0. */
export interface ShadedPiece {
  readonly text: string;
  readonly weight: number;
  /** The weight divided by the largest absolute weight of the example, from −1 to 1. */
  readonly share: number;
}

/**
 * Splits a text into pieces: those with a weight, and the text between them. Of overlapping weights
 * only the first counts.
 */
export function shadedPieces(text: string, tokens: Inspection['fields'][string], largest: number): ShadedPiece[] {
  const pieces: ShadedPiece[] = [];
  let done = 0;
  for (const { start, end, weight } of [...tokens].sort((one, other) => one.start - other.start)) {
    if (start < done || end <= start || end > text.length) continue;
    if (start > done) pieces.push({ text: text.slice(done, start), weight: 0, share: 0 });
    pieces.push({ text: text.slice(start, end), weight, share: largest > 0 ? weight / largest : 0 });
    done = end;
  }
  if (done < text.length) pieces.push({ text: text.slice(done), weight: 0, share: 0 });
  return pieces;
}

/** The weights of words for the model's answer: shaded in the text, and as numbers in a table. */
@Component({
  selector: 'app-word-weights',
  template: `
    <p class="muted small">
      @if (inspection().method === 'model') {
        <ng-container i18n>The model's own explanation.</ng-container>
      } @else {
        <ng-container i18n>Found by leaving out one word after the other.</ng-container>
      }
      &ngsp;<span class="key for" i18n
        >speaks for <bdi>{{ answer() }}</bdi></span
      >&ngsp;<span class="key against" i18n>against it</span>
    </p>
    @for (field of fields(); track field.name) {
      <section>
        <h3>{{ field.name }}</h3>
        <p class="text" dir="auto">
          @for (piece of field.pieces; track $index) {
            <span
              [class.for]="piece.share > 0"
              [class.against]="piece.share < 0"
              [style.--share]="(piece.share < 0 ? -piece.share : piece.share) * 55 + '%'"
              >{{ piece.text }}</span
            >
          }
        </p>
      </section>
    }
    <details>
      <summary i18n>The numbers</summary>
      <div class="table-frame" tabindex="0" role="region" i18n-aria-label aria-label="Weights of the words">
        <table class="data">
          <thead>
            <tr>
              <th scope="col" i18n>Input</th>
              <th scope="col" i18n>Word</th>
              <th scope="col" class="number" i18n>Weight</th>
            </tr>
          </thead>
          <tbody>
            @for (row of rows(); track $index) {
              <tr>
                <td>{{ row.field }}</td>
                <th scope="row">{{ row.token }}</th>
                <td class="number">{{ row.shown }}</td>
              </tr>
            }
          </tbody>
        </table>
      </div>
    </details>
  `,
  styles: `
    :host {
      display: grid;
      gap: 12px;
      grid-template-columns: minmax(0, 1fr);
    }

    h3 {
      color: var(--muted);
      font-size: var(--size-1);
      font-weight: 400;
      line-height: 16px;
    }

    .text {
      max-width: 70ch;
      font-size: var(--size-3);
      line-height: 30px;
      white-space: pre-wrap;
    }

    .for,
    .against {
      padding: 3px 0;
      border-radius: 3px;
      color: var(--text);
    }

    .for {
      background: color-mix(in srgb, var(--data-1) var(--share, 40%), transparent);
    }

    .against {
      background: color-mix(in srgb, var(--data-2) var(--share, 40%), transparent);
      text-decoration: underline dotted;
      text-underline-offset: 4px;
    }

    .key {
      padding: 1px 6px;
    }

    summary {
      cursor: pointer;
    }

    .table-frame {
      max-height: 320px;
      margin-top: 8px;
      overflow: auto;
    }
  `,
})
export class WordWeights {
  readonly inspection = input.required<Inspection>();
  /** The inputs of the example, to which the offsets of `inspection` refer. */
  readonly example = input.required<Readonly<Record<string, unknown>>>();
  /** The answer that the weights support or oppose. */
  readonly answer = input.required<string>();

  private readonly tokens = computed(() =>
    Object.entries(this.inspection().fields).flatMap(([field, tokens]) => tokens.map((token) => ({ field, ...token }))),
  );
  private readonly largest = computed(() => Math.max(0, ...this.tokens().map(({ weight }) => Math.abs(weight))));
  protected readonly fields = computed(() =>
    Object.entries(this.inspection().fields).map(([name, tokens]) => ({
      name,
      pieces: shadedPieces(textOf(this.example()[name]), tokens, this.largest()),
    })),
  );
  protected readonly rows = computed(() =>
    this.tokens()
      .map(({ field, token, weight }) => ({ field, token: token.trim(), weight, shown: signed(weight) }))
      .sort((one, other) => Math.abs(other.weight) - Math.abs(one.weight)),
  );
}

const signed = (weight: number): string => `${weight < 0 ? '−' : '+'}${Math.abs(weight).toFixed(3)}`;
