import {
  Directive,
  effect,
  type EmbeddedViewRef,
  inject,
  input,
  type Resource,
  TemplateRef,
  untracked,
  ViewContainerRef,
} from '@angular/core';
import { problemOf } from '../../session/problem.js';
import { Failure } from './failure.js';
import { Skeleton } from './skeleton.js';

interface LoadedContext<T> {
  readonly $implicit: T;
}

/**
 * Shows its template with the value of a resource: `<section *appLoaded="task; let task">`. Shows a
 * skeleton until there is a value, and the problem if loading failed. Keeps the last value while
 * the resource reloads. `skeleton: n` sets the number of skeleton lines.
 */
@Directive({ selector: '[appLoaded]' })
export class Loaded<T> {
  readonly appLoaded = input.required<Resource<T | undefined> & { readonly reload?: () => boolean }>();
  readonly appLoadedSkeleton = input(6);

  private readonly template = inject<TemplateRef<LoadedContext<T>>>(TemplateRef);
  private readonly container = inject(ViewContainerRef);
  private view: (EmbeddedViewRef<LoadedContext<T>> & { context: { $implicit: T } }) | undefined;
  private shown: 'nothing' | 'skeleton' | 'value' | 'failure' = 'nothing';

  static ngTemplateContextGuard<T>(_directive: Loaded<T>, _context: unknown): _context is LoadedContext<T> {
    return true;
  }

  constructor() {
    effect(() => {
      const resource = this.appLoaded();
      const error = resource.error();
      if (error) {
        untracked(() => this.showFailure(error, resource));
      } else if (resource.hasValue()) {
        const value = resource.value() as T;
        untracked(() => this.showValue(value));
      } else {
        untracked(() => this.showSkeleton());
      }
    });
  }

  private showValue(value: T): void {
    if (this.view && this.shown === 'value') {
      this.view.context.$implicit = value;
      this.view.markForCheck();
      return;
    }
    this.clear('value');
    this.view = this.container.createEmbeddedView(this.template, { $implicit: value });
  }

  private showSkeleton(): void {
    // a resource that reloads keeps its last value until the new one arrives
    if (this.shown === 'value' || this.shown === 'skeleton') return;
    this.clear('skeleton');
    this.container.createComponent(Skeleton).setInput('lines', this.appLoadedSkeleton());
  }

  private showFailure(error: unknown, resource: { readonly reload?: () => boolean }): void {
    this.clear('failure');
    const failure = this.container.createComponent(Failure);
    failure.setInput('problem', problemOf(error));
    failure.instance.again.subscribe(() => resource.reload?.());
  }

  private clear(next: Loaded<T>['shown']): void {
    this.container.clear();
    this.view = undefined;
    this.shown = next;
  }
}
