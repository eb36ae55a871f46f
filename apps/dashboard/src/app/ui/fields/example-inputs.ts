import { Component, computed, input } from '@angular/core';
import { valueText } from '../text/plain-text.js';

/** Returns the data URL of an image, which arrives as `{b64, mediaType}`. Undefined for another value. */
export function pictureOf(value: unknown): string | undefined {
  const image = value as { readonly b64?: unknown; readonly mediaType?: unknown } | null;
  if (typeof image?.b64 !== 'string' || typeof image.mediaType !== 'string') return undefined;
  return image.mediaType.startsWith('image/') ? `data:${image.mediaType};base64,${image.b64}` : undefined;
}

/** Returns the value of an input as text, or as a data URL for an image. */
export function shownInput(value: unknown): { readonly text: string } | { readonly picture: string } {
  const picture = pictureOf(value);
  return picture === undefined ? { text: valueText(value) } : { picture };
}

/** The inputs of an example in a few lines. Each has its name, unless it is the only one. */
@Component({
  selector: 'app-example-inputs',
  template: `
    @for (field of fields(); track field.name) {
      <div>
        @if (fields().length > 1) {
          <span class="muted small name">{{ field.name }}</span>
        }
        @if ('picture' in field.shown) {
          <img [src]="field.shown.picture" i18n-alt alt="The picture of the example; it has no description." />
        } @else {
          <span class="text" dir="auto">{{ field.shown.text }}</span>
        }
      </div>
    }
  `,
  styles: `
    :host {
      display: grid;
      gap: 4px;
      min-width: 0;
    }

    .name {
      display: block;
    }

    .text {
      overflow-wrap: anywhere;
      white-space: pre-line;
    }

    img {
      max-width: 100%;
      max-height: 160px;
      border-radius: var(--radius);
    }
  `,
})
export class ExampleInputs {
  readonly inputs = input.required<Readonly<Record<string, unknown>>>();

  protected readonly fields = computed(() =>
    Object.entries(this.inputs()).map(([name, value]) => ({ name, shown: shownInput(value) })),
  );
}
