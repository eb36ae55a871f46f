import { Component, computed, inject, input } from '@angular/core';
import { RouterLink } from '@angular/router';
import { profilesPageResource } from '@assay/api-client/angular';
import { Session } from '../session/session.js';
import { Icon } from '../ui/layout/icon.js';
import { Loaded } from '../ui/states/loaded.js';
import { Markdown } from '../ui/text/markdown.js';
import { Numbers } from '../ui/text/numbers.js';
import { PageHeader } from '../ui/layout/page-header.js';
import { When } from '../ui/text/when.js';

/** A user's public page: what they chose to show. */
@Component({
  selector: 'app-profile-page',
  imports: [Icon, Loaded, Markdown, PageHeader, RouterLink, When],
  templateUrl: './profile-page.html',
  styleUrl: './profile-page.scss',
})
export class ProfilePage {
  /** The user name, from the route. */
  readonly username = input.required<string>();

  protected readonly numbers = inject(Numbers);
  private readonly session = inject(Session);
  protected readonly page = profilesPageResource(() => ({ path: { username: this.username() } }));
  protected readonly isOwn = computed(() => this.session.user()?.username === this.username());
}
