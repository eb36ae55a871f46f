import { AriaDescriber } from '@angular/cdk/a11y';
import { CdkConnectedOverlay, CdkOverlayOrigin, type ConnectedPosition } from '@angular/cdk/overlay';
import { Component, computed, DestroyRef, effect, ElementRef, inject, input, signal, viewChild } from '@angular/core';
import { RouterLink } from '@angular/router';
import { Icon } from '../layout/icon.js';
import { metricName, termAnchor, TERMS } from './terms.js';

/** The delay before closing. Long enough to move the pointer from the word to its explanation. */
const LEAVING_MILLISECONDS = 150;

const POSITIONS: ConnectedPosition[] = [
  { originX: 'start', originY: 'bottom', overlayX: 'start', overlayY: 'top', offsetY: 4 },
  { originX: 'end', originY: 'bottom', overlayX: 'end', overlayY: 'top', offsetY: 4 },
  { originX: 'start', originY: 'top', overlayX: 'start', overlayY: 'bottom', offsetY: -4 },
];

/**
 * A metric or glossary term with its explanation on hover, focus and tap, and a link to the help:
 * `<app-term name="accuracy" />`. Projected content replaces the name. `look="mark"` shows a small
 * mark instead, for a name that is itself a button. A name without an explanation is plain text.
 */
@Component({
  selector: 'app-term',
  imports: [CdkConnectedOverlay, CdkOverlayOrigin, Icon, RouterLink],
  templateUrl: './term.html',
  styleUrl: './term.scss',
  host: { '(mouseleave)': 'closeSoon()', '(focusout)': 'focusWent($event)', '(keydown.escape)': 'close()' },
})
export class Term {
  readonly name = input.required<string>();
  readonly look = input<'word' | 'mark'>('word');

  private readonly describer = inject(AriaDescriber);
  private readonly host = inject<ElementRef<HTMLElement>>(ElementRef);
  private readonly button = viewChild<string, ElementRef<HTMLElement>>('word', { read: ElementRef });
  private leaving: ReturnType<typeof setTimeout> | undefined;

  protected readonly positions = POSITIONS;
  protected readonly isOpen = signal(false);
  protected readonly shownName = computed(() => metricName(this.name()));
  protected readonly anchor = computed(() => termAnchor(this.name()));
  protected readonly sentence = computed(() => {
    const anchor = this.anchor();
    return anchor ? TERMS[anchor].sentence : '';
  });

  constructor() {
    effect((onCleanup) => {
      const [button, sentence] = [this.button()?.nativeElement, this.sentence()];
      if (!button || !sentence) return;
      this.describer.describe(button, sentence);
      onCleanup(() => this.describer.removeDescription(button, sentence));
    });
    inject(DestroyRef).onDestroy(() => clearTimeout(this.leaving));
  }

  protected open(): void {
    clearTimeout(this.leaving);
    this.isOpen.set(true);
  }

  protected close(): void {
    clearTimeout(this.leaving);
    this.isOpen.set(false);
  }

  protected closeSoon(): void {
    clearTimeout(this.leaving);
    this.leaving = setTimeout(() => this.close(), LEAVING_MILLISECONDS);
  }

  protected focusWent(event: FocusEvent): void {
    const next = event.relatedTarget;
    if (!(next instanceof Node) || !this.host.nativeElement.contains(next)) this.closeSoon();
  }
}
