import { Component, computed, inject, input, resource, SecurityContext } from '@angular/core';
import { DomSanitizer } from '@angular/platform-browser';

/**
 * Renders untrusted Markdown: no scripts, no styles, no images, and links that pass on neither
 * referrer nor opener.
 */
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
  // sanitised twice, by DOMPurify and by Angular, so that one catches what the other misses
  protected readonly html = computed(() =>
    this.read.hasValue() ? (this.sanitizer.sanitize(SecurityContext.HTML, this.read.value()) ?? '') : '',
  );
}
