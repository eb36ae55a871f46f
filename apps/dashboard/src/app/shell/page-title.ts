import { inject, Injectable } from '@angular/core';
import { Title } from '@angular/platform-browser';
import { type RouterStateSnapshot, TitleStrategy } from '@angular/router';

/**
 * Sets the document title, for example `Leaderboard · nli · Assay`: the route's title, then the
 * task's slug.
 */
@Injectable()
export class PageTitle extends TitleStrategy {
  private readonly title = inject(Title);

  override updateTitle(snapshot: RouterStateSnapshot): void {
    let route = snapshot.root;
    while (route.firstChild) route = route.firstChild;
    const slug = route.pathFromRoot.map(({ params }) => params['slug'] as string | undefined).findLast((each) => each);
    this.title.setTitle([this.buildTitle(snapshot), slug, 'Assay'].filter((part) => part).join(' · '));
  }
}
