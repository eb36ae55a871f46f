import { Component, computed, inject, input } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import { quotaQuotaResource, type Task } from '@assay/api-client/angular';
import { Session } from '../session/session.js';
import { CopyButton, Numbers } from '../ui/index.js';
import { Term } from '../ui/terms/term.js';

/** The ways to take part in a task, with their requirements and links to start. */
@Component({
  selector: 'app-take-part',
  imports: [CopyButton, MatButton, RouterLink, Term],
  templateUrl: './take-part.html',
  styleUrl: './take-part.scss',
})
export class TakePart {
  readonly task = input.required<Task>();

  private readonly session = inject(Session);
  protected readonly numbers = inject(Numbers);
  protected readonly command = computed(() => `assay submit ${this.task().slug} --name "My model" my-model.tar`);
  protected readonly openRound = computed(() => this.task().rounds.find(({ state }) => state === 'open')?.number);
  protected readonly quota = quotaQuotaResource(() =>
    this.session.user() ? { path: { slug: this.task().slug } } : undefined,
  );
}
