import { Component, inject } from '@angular/core';
import { toSignal } from '@angular/core/rxjs-interop';
import { ActivatedRoute, RouterLink } from '@angular/router';
import { CopyButton, PageHeader } from '../ui/index.js';
import { TERMS } from '../ui/terms/terms.js';
import { SHORTCUT_GROUPS } from './shortcuts.js';
import { TOPIC_GROUPS } from './topics.js';

/** Explains all metrics and terms, how to submit, and the shortcuts. Each topic has an anchor. */
@Component({
  selector: 'app-help-page',
  imports: [CopyButton, PageHeader, RouterLink],
  templateUrl: './help-page.html',
  styleUrl: './help-page.scss',
})
export class HelpPage {
  protected readonly groups = TOPIC_GROUPS;
  protected readonly terms = TERMS;
  protected readonly shortcutGroups = SHORTCUT_GROUPS;
  /** The anchor in the URL: the topic that the reader came for. */
  protected readonly anchor = toSignal(inject(ActivatedRoute).fragment);
  protected readonly commands = [
    `assay login --url ${location.origin} --email you@example.org`,
    'assay check my-model.tar --task TASK',
    'assay submit TASK --name "My model" my-model.tar',
  ].join('\n');
}
