import { Component, inject } from '@angular/core';
import { profilesOwnBadgesResource } from '@assay/api-client/angular';
import { Icon, Loaded, Numbers, PageHeader, When } from '../ui/index.js';

/** The user's badges, with the progress towards those not yet earned. */
@Component({
  selector: 'app-badges-page',
  imports: [Icon, Loaded, PageHeader, When],
  template: `
    <app-page-header
      i18n-title
      title="Badges"
      i18n-lead
      lead="Nobody sees them unless your profile shows them. Tasks with a content warning count for none."
    />
    <ul *appLoaded="badges; let list">
      @for (badge of list.items; track badge.code) {
        <li class="panel" [class.earned]="badge.earnedAt">
          <app-icon name="trophy" />
          <div>
            <h2>{{ badge.name }}</h2>
            <p>{{ badge.description }}</p>
            @if (badge.earnedAt; as earned) {
              <p class="muted small"><ng-container i18n>Earned</ng-container>&ngsp;<app-when [at]="earned" /></p>
            } @else {
              <progress
                [value]="badge.progress"
                [max]="badge.needed"
                [attr.aria-label]="badge.name"
                [title]="badge.counts"
              ></progress>
              <p class="muted small numbers" i18n>
                {{ numbers.count(badge.progress) }} of {{ numbers.count(badge.needed) }}
              </p>
            }
          </div>
        </li>
      }
    </ul>
  `,
  styleUrl: './badges-page.scss',
})
export class BadgesPage {
  protected readonly numbers = inject(Numbers);
  protected readonly badges = profilesOwnBadgesResource(() => ({}));
}
