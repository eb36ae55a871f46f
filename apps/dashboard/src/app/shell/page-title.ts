import { inject, Injectable } from '@angular/core';
import { Title } from '@angular/platform-browser';
import { type RouterStateSnapshot, TitleStrategy } from '@angular/router';

/** `Leaderboard · nli · Assay`: what a route calls itself, then the task that its address names. */
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
