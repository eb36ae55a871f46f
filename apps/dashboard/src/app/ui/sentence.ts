import { Component, computed, input } from '@angular/core';

/** A sentence of the API: what stands between backticks is shown as code. */
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
    // a backtick without another is only a character
    return parts.length % 2 === 1 ? parts : [this.of()];
  });
}
