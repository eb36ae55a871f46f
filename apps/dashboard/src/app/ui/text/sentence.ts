import { Component, computed, input } from '@angular/core';

/** Shows a sentence of the API, with text between backticks as code. */
@Component({
  selector: 'app-sentence',
  template: `@for (part of parts(); track $index) {
    @if ($odd) {
      <code>{{ part }}</code>
    } @else {
      <ng-container>{{ part }}</ng-container>
    }
  }`,
  preserveWhitespaces: false,
})
export class Sentence {
  readonly of = input.required<string>();

  protected readonly parts = computed(() => {
    const parts = this.of().split('`');
    // an unpaired backtick is shown as it is
    return parts.length % 2 === 1 ? parts : [this.of()];
  });
}
