import { Component, computed, inject, input, resource, SecurityContext } from '@angular/core';
import { DomSanitizer } from '@angular/platform-browser';

/** Somebody's Markdown, sanitised: no script, no style, no image of another host, links that carry nothing with them. */
@Component({
  selector: 'app-markdown',
  template: `<div class="prose" dir="auto" [innerHTML]="html()"></div>`,
  styles: `
    .prose {
      display: grid;
      gap: 12px;
      grid-template-columns: minmax(0, 1fr);
    }
  `,
})
export class Markdown {
  readonly text = input.required<string>();

  private readonly sanitizer = inject(DomSanitizer);
  private readonly read = resource({
    params: () => this.text(),
    loader: async ({ params }) => (await import('./markdown-to-html.js')).markdownToHtml(params),
  });
  // twice, by two hands: what one lets through the other does not
  protected readonly html = computed(() =>
    this.read.hasValue() ? (this.sanitizer.sanitize(SecurityContext.HTML, this.read.value()) ?? '') : '',
  );
}
