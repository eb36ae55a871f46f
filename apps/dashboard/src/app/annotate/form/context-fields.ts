import { Component, computed, inject, input } from '@angular/core';
import type { TaskInput } from '@assay/api-client/angular';
import { pictureOf } from '../../ui/fields/example-inputs.js';
import { Numbers, valueText } from '../../ui/index.js';

type Shown =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'image'; readonly source: string }
  | { readonly kind: 'list'; readonly items: readonly string[] };

const CODE = /code|program|snippet/i;

/** Returns how the value of an input is shown. Images have the shape `{b64, mediaType}`. */
export function shownValue(name: string, value: unknown, numbers: Pick<Numbers, 'threeDigits'>): Shown {
  if (typeof value === 'string') return { kind: CODE.test(name) ? 'code' : 'text', text: value };
  if (typeof value === 'number') {
    return { kind: 'text', text: Number.isInteger(value) ? String(value) : numbers.threeDigits(value) };
  }
  if (Array.isArray(value)) return { kind: 'list', items: value.map(valueText) };
  const source = pictureOf(value);
  if (source !== undefined) return { kind: 'image', source };
  return { kind: 'code', text: JSON.stringify(value, null, 2) ?? '' };
}

/** The inputs of an example in readable form: texts with their line breaks, images, lists. */
@Component({
  selector: 'app-context-fields',
  template: `
    @for (field of fields(); track field.name) {
      <div class="panel" role="group" [attr.aria-label]="field.name">
        <p class="name muted small" aria-hidden="true">{{ field.name }}</p>
        @switch (field.shown.kind) {
          @case ('image') {
            <img
              [src]="source(field.shown)"
              i18n-alt
              alt="The picture of this context. It has no description: annotators look at it."
            />
          }
          @case ('list') {
            <ol>
              @for (item of items(field.shown); track $index) {
                <li>{{ item }}</li>
              }
            </ol>
          }
          @case ('code') {
            <pre class="table-frame" tabindex="0" role="region" [attr.aria-label]="field.name">{{
              text(field.shown)
            }}</pre>
          }
          @default {
            <p class="text" dir="auto" [attr.lang]="language()">{{ text(field.shown) }}</p>
          }
        }
      </div>
    }
  `,
  styles: `
    :host {
      display: grid;
      gap: 12px;
      grid-template-columns: minmax(0, 1fr);
    }

    :host(:empty) {
      display: none;
    }

    .panel {
      padding: 12px 16px;
    }

    .name {
      margin-bottom: 4px;
    }

    .text {
      max-width: 70ch;
      font-size: var(--size-3);
      line-height: 26px;
      white-space: pre-wrap;
    }

    pre {
      margin: 0;
      padding: 8px;
    }

    img {
      display: block;
      max-width: 100%;
      max-height: 60vh;
      border-radius: var(--radius);
    }
  `,
})
export class ContextFields {
  readonly content = input.required<Readonly<Record<string, unknown>>>();
  /** The inputs in the order of the task. Fields that it does not name follow. */
  readonly inputs = input.required<readonly Pick<TaskInput, 'name'>[]>();
  /** Names of inputs that are shown elsewhere and left out here. */
  readonly without = input<readonly string[]>([]);
  /** The language of the texts, a BCP 47 tag. */
  readonly language = input<string>();

  private readonly numbers = inject(Numbers);
  protected readonly fields = computed(() => {
    const content = this.content();
    const known = this.inputs().map(({ name }) => name);
    return [...new Set([...known, ...Object.keys(content)])]
      .filter((name) => content[name] !== undefined && content[name] !== null && !this.without().includes(name))
      .map((name) => ({ name, shown: shownValue(name, content[name], this.numbers) }));
  });

  protected readonly text = (shown: Shown): string => ('text' in shown ? shown.text : '');
  protected readonly source = (shown: Shown): string => ('source' in shown ? shown.source : '');
  protected readonly items = (shown: Shown): readonly string[] => ('items' in shown ? shown.items : []);
}
