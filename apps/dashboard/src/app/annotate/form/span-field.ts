import { Component, computed, ElementRef, input, model, viewChild } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { markedSpan, placeInText, placeShown, type Span } from '../span.js';

/**
 * A text in which the answer is marked with the mouse, or with the arrow keys and Shift. It is a
 * text field that accepts no input, so selection is native to the browser and works on every device
 * and with every screen reader.
 */
@Component({
  selector: 'app-span-field',
  imports: [MatButton],
  template: `
    <div class="field">
      <label class="muted small" [attr.for]="fieldId()">{{ name() }}</label>
      <p class="muted small" [id]="fieldId() + '-how'" i18n>
        Mark the answer: select it with the mouse, or move with the arrow keys and hold <kbd>Shift</kbd> (with
        <kbd>Ctrl</kbd> word by word).
      </p>
      <div class="text">
        <div class="shown" dir="auto" aria-hidden="true" [attr.lang]="language()">
          <span>{{ parts().before }}</span><mark>{{ parts().marked }}</mark
          ><span>{{ parts().after }}</span>
        </div>
        <textarea
          #area
          dir="auto"
          [id]="fieldId()"
          [attr.aria-describedby]="fieldId() + '-how'"
          [attr.lang]="language()"
          [value]="text()"
          aria-readonly="true"
          inputmode="none"
          spellcheck="false"
          autocomplete="off"
          (beforeinput)="$event.preventDefault()"
          (dragstart)="$event.preventDefault()"
          (drop)="$event.preventDefault()"
          (select)="mark()"
          (keyup)="mark()"
          (mouseup)="mark()"
        ></textarea>
      </div>
      <div class="row">
        <p aria-live="polite">
          @if (value()) {
            <ng-container i18n
              >Marked: <mark>{{ parts().marked }}</mark></ng-container
            >
          } @else {
            <span class="muted" i18n>Nothing is marked yet.</span>
          }
        </p>
        @if (value()) {
          <button matButton type="button" (click)="value.set(null)" i18n>Clear the marking</button>
        }
      </div>
    </div>
  `,
  styles: `
    .field {
      display: grid;
      gap: 4px;
      padding: 12px 16px;
      border: 1px solid var(--line);
      border-radius: var(--radius);
      background: var(--surface);
    }

    .text {
      display: grid;
      max-width: 70ch;
      margin: 4px -6px;
    }

    .shown,
    textarea {
      grid-area: 1 / 1;
      margin: 0;
      padding: 4px 6px;
      border: 1px solid transparent;
      border-radius: var(--radius);
      font: 400 var(--size-3) / 26px var(--font);
      letter-spacing: normal;
      white-space: pre-wrap;
      overflow-wrap: break-word;
      tab-size: 4;
    }

    .shown {
      color: transparent;
      pointer-events: none;
    }

    textarea {
      width: 100%;
      overflow: hidden;
      resize: none;
      background: transparent;
      color: var(--text);
      caret-color: var(--accent);
    }

    mark {
      border-radius: 3px;
      background: var(--accent-soft);
      color: var(--text);
    }

    .shown mark {
      background: color-mix(in srgb, var(--accent) 28%, transparent);
      color: transparent;
    }

    .row {
      min-height: 36px;
    }
  `,
})
export class SpanField {
  readonly fieldId = input.required<string>();
  readonly name = input.required<string>();
  readonly text = input.required<string>();
  readonly language = input<string>();
  readonly value = model<Span | null>(null);

  private readonly area = viewChild.required<ElementRef<HTMLTextAreaElement>>('area');
  protected readonly parts = computed(() => {
    const [text, span] = [this.text(), this.value()];
    if (!span) return { before: text, marked: '', after: '' };
    return { before: text.slice(0, span.start), marked: text.slice(span.start, span.end), after: text.slice(span.end) };
  });

  /** Focuses the text and selects the span, or puts the caret at the start. For keyboard users. */
  focus(): void {
    const area = this.area().nativeElement;
    area.focus();
    const span = this.value();
    const [start, end] = span ? [span.start, span.end].map((place) => placeShown(this.text(), place)) : [0, 0];
    area.setSelectionRange(start!, end!);
  }

  protected mark(): void {
    const { selectionStart, selectionEnd } = this.area().nativeElement;
    // moving the caret without selecting keeps the span
    if (selectionStart === selectionEnd) return;
    const text = this.text();
    const span = markedSpan(text, { start: placeInText(text, selectionStart), end: placeInText(text, selectionEnd) });
    const before = this.value();
    if (span?.start !== before?.start || span?.end !== before?.end) this.value.set(span);
  }
}
