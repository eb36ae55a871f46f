import { Component, computed, input } from '@angular/core';
import { changedKeys } from './changed-keys.js';

const LONGEST = 80;

/** What a change of a task would do, before it is saved. */
@Component({
  selector: 'app-change-preview',
  template: `
    <ul>
      @for (key of keys(); track key.path) {
        <li>
          <code>{{ key.path }}</code>: {{ key.text }}
        </li>
      }
    </ul>
  `,
  styles: `
    ul {
      display: grid;
      gap: 4px;
      padding-inline-start: 18px;
    }
  `,
})
export class ChangePreview {
  readonly slug = input.required<string>();
  /** A JSON merge patch. */
  readonly change = input.required<Readonly<Record<string, unknown>>>();
  /** Whether the definition could be saved as it stands. */
  readonly valid = input.required<boolean>();

  protected readonly keys = computed(() =>
    changedKeys(this.change()).map(({ path, value }) => ({ path, text: shortText(value) })),
  );
}

function shortText(value: unknown): string {
  if (value === undefined) return $localize`its default`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
