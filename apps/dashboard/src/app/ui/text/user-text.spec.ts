import { ChangeDetectionStrategy, Component } from '@angular/core';
import { TestBed } from '@angular/core/testing';
import { describe, expect, it } from '@jest/globals';
import { ExampleInputs } from '../fields/example-inputs.js';
import { Markdown } from './markdown.js';
import { PageHeader } from '../layout/page-header.js';

/** Ends with an override of the direction that nothing closes. */
const TURNING = 'a text \u202e of somebody';

@Component({
  imports: [ExampleInputs, Markdown, PageHeader],
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <app-page-header [title]="text" [lead]="text" />
    <app-markdown [text]="text" />
    <app-example-inputs [inputs]="{ text }" />
  `,
})
class Texts {
  protected readonly text = TURNING;
}

describe('what people wrote', () => {
  it('has the direction of its own letters, and turns nothing around it', async () => {
    const fixture = TestBed.createComponent(Texts);
    await fixture.whenStable();
    const shown = [...(fixture.nativeElement as HTMLElement).querySelectorAll('*')].filter(
      (element) => element.children.length === 0 && element.textContent.includes('\u202e'),
    );

    expect(shown).toHaveLength(4);
    for (const element of shown) expect(element.closest('[dir=auto], bdi')).not.toBeNull();
  });
});
