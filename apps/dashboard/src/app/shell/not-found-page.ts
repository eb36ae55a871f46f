import { Component } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import { PageHeader } from '../ui/index.js';

/** The page for unknown URLs. */
@Component({
  selector: 'app-not-found-page',
  imports: [MatButton, PageHeader, RouterLink],
  template: `
    <div class="page">
      <app-page-header
        i18n-title
        title="Page not found"
        i18n-lead
        lead="The address may be mistyped, or what it named was removed."
      />
      <a matButton="outlined" routerLink="/" i18n>Go to the tasks</a>
    </div>
  `,
})
export class NotFoundPage {}
