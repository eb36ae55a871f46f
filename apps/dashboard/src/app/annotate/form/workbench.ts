import { NgTemplateOutlet } from '@angular/common';
import { Component, contentChild, input, output, TemplateRef } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { Icon, Loaded, Markdown, PageHeader } from '../../ui/index.js';
import type { consentFor } from './consented-work.js';
import { TermsGate } from './terms-gate.js';

/**
 * The layout for work on examples: header, terms, instructions, the work (template `#content`) and
 * its progress next to it (template `#aside`).
 */
@Component({
  selector: 'app-workbench',
  imports: [Icon, Loaded, Markdown, MatButton, NgTemplateOutlet, PageHeader, TermsGate],
  templateUrl: './workbench.html',
  styleUrl: './workbench.scss',
})
export class Workbench {
  readonly heading = input.required<string>();
  readonly lead = input('');
  /** Announced to screen readers when it changes. */
  readonly said = input.required<string>();
  readonly consent = input.required<ReturnType<typeof consentFor>>();
  /** Markdown. Empty if the task has none. */
  readonly instructions = input.required<string>();
  readonly instructionsTitle = input.required<string>();
  readonly isOpen = input.required<boolean>();
  readonly keysAsked = output();

  protected readonly content = contentChild.required('content', { read: TemplateRef });
  protected readonly aside = contentChild.required('aside', { read: TemplateRef });
}
