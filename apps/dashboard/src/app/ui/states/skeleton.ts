import { Component, computed, input } from '@angular/core';

/** Grey lines as a placeholder for text or a table. */
@Component({
  selector: 'app-skeleton',
  template: `
    <span class="visually-hidden" role="status" i18n>Loading</span>
    @for (line of widths(); track $index) {
      <span class="line" [style.inline-size.%]="line" aria-hidden="true"></span>
    }
  `,
  styles: `
    :host {
      display: grid;
      gap: 12px;
      padding: 16px 0;
    }

    .line {
      display: block;
      height: 20px;
      border-radius: 4px;
      background: var(--line);
      animation: breathe 1.6s ease-in-out infinite;
    }

    @keyframes breathe {
      50% {
        opacity: 0.5;
      }
    }
  `,
})
export class Skeleton {
  readonly lines = input(6);

  // uneven like the lines of a text
  protected readonly widths = computed(() =>
    Array.from({ length: this.lines() }, (_, line) => [96, 88, 92, 70][line % 4]!),
  );
}
