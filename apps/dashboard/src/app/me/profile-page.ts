import { Component, effect, inject, signal } from '@angular/core';
import { NonNullableFormBuilder, ReactiveFormsModule, Validators } from '@angular/forms';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import { type Profile, profilesChange, profilesOwnResource } from '@assay/api-client/angular';
import { FORM_FIELD } from '../ui/fields/form-field.js';
import { Action, ActionProblem, Loaded, PageHeader } from '../ui/index.js';

/** Edits the user's public profile and its visibility. */
@Component({
  selector: 'app-own-profile-page',
  imports: [ActionProblem, FORM_FIELD, Loaded, MatButton, PageHeader, ReactiveFormsModule, RouterLink],
  templateUrl: './profile-page.html',
  styleUrl: './profile-page.scss',
})
export class OwnProfilePage {
  protected readonly profile = profilesOwnResource(() => ({}));
  protected readonly action = new Action();
  protected readonly saved = signal(false);
  protected readonly form = inject(NonNullableFormBuilder).group({
    displayName: ['', Validators.maxLength(60)],
    bio: ['', Validators.maxLength(2_000)],
    board: ['pseudonym'],
    models: [false],
    badges: [false],
    examples: [false],
  });
  protected readonly boards = [
    { value: 'pseudonym', words: $localize`under a pseudonym, another in each task` },
    { value: 'name', words: $localize`under my name` },
    { value: 'hidden', words: $localize`not at all` },
  ] as const;
  protected readonly parts = [
    { name: 'models', words: $localize`my published models` },
    { name: 'badges', words: $localize`my badges` },
    { name: 'examples', words: $localize`how many examples I wrote` },
  ] as const;

  constructor() {
    effect(() => {
      if (this.profile.hasValue()) this.fill(this.profile.value());
    });
    this.form.valueChanges.subscribe(() => this.saved.set(false));
  }

  protected async save(): Promise<void> {
    if (this.form.invalid) return;
    const { displayName, bio, board, ...shown } = this.form.getRawValue();
    const body = {
      displayName: displayName.trim() || null,
      bio,
      board: board as Profile['board'],
      shows: this.parts.map(({ name }) => name).filter((name) => shown[name]),
    };
    const answer = await this.action.run(() => profilesChange({ body }));
    if (answer) this.saved.set(true);
  }

  private fill({ displayName, bio, board, shows }: Profile): void {
    const shown = {
      models: shows.includes('models'),
      badges: shows.includes('badges'),
      examples: shows.includes('examples'),
    };
    this.form.setValue({ displayName: displayName ?? '', bio, board, ...shown });
  }
}
