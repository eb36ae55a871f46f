import { Component, computed, inject, signal } from '@angular/core';
import { NonNullableFormBuilder, ReactiveFormsModule, Validators } from '@angular/forms';
import { MatButton } from '@angular/material/button';
import { accountDelete, type AccountDeleted } from '@assay/api-client/angular';
import { FORM_FIELD } from '../ui/fields/form-field.js';
import { Action, ActionProblem, Icon, Numbers, PageHeader, When } from '../ui/index.js';
import { ProviderButton } from '../auth/provider-button.js';
import { Session } from '../session/session.js';
import { MailNotice } from './mail-notice.js';
import { PasswordForm } from './password-form.js';
import { ProviderLink } from './provider-link.js';

/** The account of the signed-in user: identity, password, data export and deletion. */
@Component({
  selector: 'app-account-page',
  imports: [
    ActionProblem,
    FORM_FIELD,
    Icon,
    MailNotice,
    MatButton,
    PageHeader,
    PasswordForm,
    ProviderButton,
    ProviderLink,
    ReactiveFormsModule,
    When,
  ],
  templateUrl: './account-page.html',
  styleUrl: './account-page.scss',
})
export class AccountPage {
  protected readonly session = inject(Session);
  protected readonly numbers = inject(Numbers);
  protected readonly user = computed(() => this.session.user());
  protected readonly action = new Action();
  protected readonly isDeleting = signal(false);
  protected readonly deleted = signal<AccountDeleted | undefined>(undefined);
  protected readonly form = inject(NonNullableFormBuilder).group({
    text: ['', Validators.required],
    password: '',
  });
  protected readonly fates = [
    {
      value: 'keep',
      words: $localize`Keep the texts that I wrote`,
      means: $localize`They stay in the tasks under a pseudonym, with no link to you.`,
    },
    {
      value: 'remove',
      words: $localize`Remove the texts that I wrote`,
      means: $localize`They are taken out, except for those that a closed round has frozen in a dataset: datasets never change.`,
    },
  ] as const;

  protected async delete(): Promise<void> {
    const { text, password } = this.form.getRawValue();
    if (text !== 'keep' && text !== 'remove') return;
    const body = { text, ...(this.user()?.hasPassword && { password }) } as const;
    const answer = await this.action.run(() => accountDelete({ body }));
    if (answer) this.deleted.set(answer.data);
  }
}
