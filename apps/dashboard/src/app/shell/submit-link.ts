import { Component, inject } from '@angular/core';
import { toSignal } from '@angular/core/rxjs-interop';
import { MatButton } from '@angular/material/button';
import { NavigationEnd, Router, RouterLink } from '@angular/router';
import { filter, map } from 'rxjs';
import { Icon } from '../ui/layout/icon.js';
import { submitAddress } from './submit-address.js';

/** Links to the submission page of the current task, or to the choice of tasks. */
@Component({
  selector: 'app-submit-link',
  imports: [Icon, MatButton, RouterLink],
  template: ` <a matButton="outlined" [routerLink]="address()"><app-icon name="upload" /><span i18n>Submit</span></a> `,
  styles: `
    app-icon {
      margin-inline-end: 6px;
      vertical-align: -4px;
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
  protected readonly address = toSignal(
    this.router.events.pipe(
      filter((event) => event instanceof NavigationEnd),
      map(() => submitAddress(this.router.url)),
    ),
    { initialValue: '/submit' },
  );
}
