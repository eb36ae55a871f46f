import { Component, inject, signal } from '@angular/core';
import { FormGroupDirective, NonNullableFormBuilder, ReactiveFormsModule, Validators } from '@angular/forms';
import { MatButton } from '@angular/material/button';
import {
  authCreateToken,
  authListTokensResource,
  authRevokeToken,
  type Token,
  type TokenCreated,
  type TokenScope,
} from '@assay/api-client/angular';
import { FORM_FIELD } from '../ui/fields/form-field.js';
import { ShownSecret } from '../ui/fields/shown-secret.js';
import { Action, ActionProblem, Confirm, Empty, Loaded, PageHeader, When } from '../ui/index.js';

/** The user's API tokens for the CLI, scripts and CI. */
@Component({
  selector: 'app-tokens-page',
  imports: [ActionProblem, Empty, FORM_FIELD, Loaded, MatButton, PageHeader, ReactiveFormsModule, ShownSecret, When],
  templateUrl: './tokens-page.html',
  styleUrl: './tokens-page.scss',
})
export class TokensPage {
  private readonly confirm = inject(Confirm);
  protected readonly tokens = authListTokensResource(() => ({}));
  protected readonly action = new Action();
  private readonly controls = inject(NonNullableFormBuilder);
  protected readonly form = this.controls.group({
    name: ['', [Validators.required, Validators.maxLength(100)]],
    scope: this.controls.control<TokenScope>('submit'),
    days: 90,
  });
  protected readonly scopes: readonly { readonly value: TokenScope; readonly words: string }[] = [
    { value: 'read', words: $localize`Read` },
    { value: 'submit', words: $localize`Read and submit models` },
    { value: 'all', words: $localize`Full access` },
  ];
  protected readonly ends: readonly { readonly value: number; readonly words: string }[] = [
    { value: 7, words: $localize`In 7 days` },
    { value: 30, words: $localize`In 30 days` },
    { value: 90, words: $localize`In 90 days` },
    { value: 365, words: $localize`In a year` },
  ];
  /** The token just created, with its secret. The secret is shown only once. */
  protected readonly created = signal<TokenCreated | undefined>(undefined);

  protected revokeLabel({ name }: Token): string {
    return $localize`Revoke ${name}:name:`;
  }

  protected scopeOf({ scope }: Token): string {
    return this.scopes.find(({ value }) => value === scope)!.words;
  }

  protected hasEnded({ expiresAt }: Token): boolean {
    return expiresAt !== null && Date.parse(expiresAt) <= Date.now();
  }

  protected async create(fields: FormGroupDirective): Promise<void> {
    const { name, scope, days } = this.form.getRawValue();
    if (name.trim() === '' || this.form.invalid) return;
    await this.action.run(async () => {
      this.created.set((await authCreateToken({ body: { name: name.trim(), scope, days } })).data);
      fields.resetForm({ name: '', scope, days });
      this.tokens.reload();
    });
  }

  protected async revoke({ id, name }: Token): Promise<void> {
    const sure = await this.confirm.ask({
      title: $localize`Revoke ${name}:name:?`,
      text: $localize`Programs that use this token are refused from now on. This cannot be undone.`,
      action: $localize`Revoke`,
      tone: 'bad',
    });
    if (!sure) return;
    await this.action.run(() => authRevokeToken({ path: { id } }));
    if (this.created()?.id === id) this.created.set(undefined);
    this.tokens.reload();
  }
}
