import { Component, inject, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { MatFormField, MatHint, MatLabel } from '@angular/material/form-field';
import { MatInput } from '@angular/material/input';
import { authListTokensResource } from '../../client/@angular/common.gen.js';
import { authCreateToken, authRevokeToken } from '../../client/sdk.gen.js';
import type { Token, TokenCreated } from '../../client/types.gen.js';
import { Action } from '../ui/action.js';
import { ActionProblem } from '../ui/action-problem.js';
import { Confirm } from '../ui/confirm.js';
import { CopyButton } from '../ui/copy-button.js';
import { Empty } from '../ui/empty.js';
import { Loaded } from '../ui/loaded.js';
import { PageHeader } from '../ui/page-header.js';
import { When } from '../ui/when.js';

/** Tokens of somebody's programs: the command line, scripts, CI. */
@Component({
  selector: 'app-tokens-page',
  imports: [
    ActionProblem,
    CopyButton,
    Empty,
    Loaded,
    MatButton,
    MatFormField,
    MatHint,
    MatInput,
    MatLabel,
    PageHeader,
    When,
  ],
  templateUrl: './tokens-page.html',
  styleUrl: './tokens-page.scss',
})
export class TokensPage {
  private readonly confirm = inject(Confirm);
  protected readonly tokens = authListTokensResource(() => ({}));
  protected readonly action = new Action();
  /** With its secret, which is shown this once. */
  protected readonly created = signal<TokenCreated | undefined>(undefined);

  protected revokeLabel({ name }: Token): string {
    return $localize`Revoke ${name}:name:`;
  }

  protected async create(input: HTMLInputElement): Promise<void> {
    const name = input.value.trim();
    if (name === '') return;
    const answer = await this.action.run(() => authCreateToken({ body: { name }, throwOnError: true }));
    if (!answer) return;
    input.value = '';
    this.created.set(answer.data);
    this.tokens.reload();
  }

  protected async revoke({ id, name }: Token): Promise<void> {
    const sure = await this.confirm.ask({
      title: $localize`Revoke ${name}:name:?`,
      text: $localize`Programs that use this token are refused from now on. It can’t be taken back.`,
      action: $localize`Revoke`,
      tone: 'bad',
    });
    if (!sure) return;
    await this.action.run(() => authRevokeToken({ path: { id }, throwOnError: true }));
    if (this.created()?.id === id) this.created.set(undefined);
    this.tokens.reload();
  }
}
