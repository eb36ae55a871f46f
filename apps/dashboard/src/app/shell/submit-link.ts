import { Component, computed, inject } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { Router, RouterLink } from '@angular/router';
import { Icon } from '../ui/index.js';

/** Links to the submission page of the current task, or to the choice of tasks. */
@Component({
  selector: 'app-submit-link',
  imports: [Icon, MatButton, RouterLink],
  template: ` <a matButton="outlined" [routerLink]="address()"><app-icon name="upload" /><span i18n>Submit</span></a> `,
  styles: `
    app-icon {
      margin-inline-end: 6px;
    }

    @media (max-width: 720px) {
      a {
        min-width: 36px;
        padding: 0 8px;
        border-color: transparent;
      }

      app-icon {
        margin: 0;
      }

      /* the symbol stands for it; a screen reader reads it */
      span {
        position: absolute;
        width: 1px;
        height: 1px;
        overflow: hidden;
        clip-path: inset(50%);
      }
    }
  `,
})
export class SubmitLink {
  private readonly router = inject(Router);
  protected readonly address = computed(() =>
    this.router.lastSuccessfulNavigation() ? submitAddress(this.router.url) : '/submit',
  );
}

/**
 * Returns the path of the submission page that fits the dashboard URL `url`: that of the same task,
 * else the choice of tasks.
 */
export function submitAddress(url: string): string {
  const [path = ''] = url.split(/[?#]/);
  const slug = /^\/tasks\/([^/]+)/.exec(path)?.[1];
  return slug === undefined || slug === 'new' ? '/submit' : `/tasks/${slug}/submit`;
}
