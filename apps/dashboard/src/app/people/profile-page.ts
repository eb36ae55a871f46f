import { Component, computed, inject, input } from '@angular/core';
import { RouterLink } from '@angular/router';
import { profilesPageResource } from '@assay/api-client/angular';
import { Session } from '../session/session.js';
import { Icon, Loaded, Markdown, Numbers, PageHeader, When } from '../ui/index.js';

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
