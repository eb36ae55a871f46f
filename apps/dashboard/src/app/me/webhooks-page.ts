import { Component, inject, signal } from '@angular/core';
import { FormGroupDirective, NonNullableFormBuilder, ReactiveFormsModule, Validators } from '@angular/forms';
import { MatButton } from '@angular/material/button';
import {
  type Webhook,
  type WebhookKind,
  type WebhookMade,
  webhooksChange,
  webhooksListResource,
  webhooksMake,
  webhooksPing,
  webhooksRemove,
  webhooksRenewSecret,
  webhooksSentResource,
} from '@assay/api-client/angular';
import { FORM_FIELD } from '../ui/fields/form-field.js';
import { ShownSecret } from '../ui/fields/shown-secret.js';
import { Action, ActionProblem, Confirm, Empty, Loaded, PageHeader, When } from '../ui/index.js';
import { WebhookDeliveries } from './webhook-deliveries.js';
import { DISABLED_WORDS, kindWords, OWN_KINDS, OWNER_KINDS } from './webhook-words.js';

/** The user's webhooks. */
@Component({
  selector: 'app-webhooks-page',
  imports: [
    ActionProblem,
    Empty,
    FORM_FIELD,
    Loaded,
    MatButton,
    PageHeader,
    ReactiveFormsModule,
    ShownSecret,
    WebhookDeliveries,
    When,
  ],
  templateUrl: './webhooks-page.html',
  styleUrl: './webhooks-page.scss',
})
export class WebhooksPage {
  private readonly confirm = inject(Confirm);
  protected readonly webhooks = webhooksListResource(() => ({}));
  protected readonly action = new Action();
  protected readonly form = inject(NonNullableFormBuilder).group({
    url: ['', [Validators.required, Validators.maxLength(2000)]],
  });
  protected readonly chosen = signal<ReadonlySet<WebhookKind>>(new Set());
  protected readonly groups = [
    { name: $localize`Of what is mine`, kinds: OWN_KINDS },
    { name: $localize`Of the tasks that I own`, kinds: OWNER_KINDS },
  ];
  /** The webhook just created, or whose secret was just renewed. The secret is shown only once. */
  protected readonly made = signal<WebhookMade | undefined>(undefined);
  /** The id of the webhook whose deliveries are shown. */
  protected readonly opened = signal<string | undefined>(undefined);
  protected readonly sent = webhooksSentResource(() => {
    const id = this.opened();
    return id === undefined ? undefined : { path: { id }, query: { limit: 20 } };
  });
  protected readonly disabledWords = DISABLED_WORDS;

  protected kindsOf({ kinds }: Webhook): string {
    return kinds.map(kindWords).join(' · ');
  }

  protected choose(kind: WebhookKind, event: Event): void {
    const { checked } = event.target as HTMLInputElement;
    this.chosen.update((before) => new Set([...before, kind].filter((each) => checked || each !== kind)));
  }

  protected async make(fields: FormGroupDirective): Promise<void> {
    const body = { url: this.form.getRawValue().url.trim(), kinds: [...this.chosen()] };
    await this.action.run(async () => {
      this.made.set((await webhooksMake({ body })).data);
      fields.resetForm();
      this.chosen.set(new Set());
      this.webhooks.reload();
    });
  }

  protected async ping({ id }: Webhook): Promise<void> {
    await this.action.run(() => webhooksPing({ path: { id } }));
    this.opened.set(id);
    this.lookAgain();
  }

  protected async enable({ id }: Webhook, enabled: boolean): Promise<void> {
    await this.action.run(() => webhooksChange({ path: { id }, body: { enabled } }));
    this.lookAgain();
  }

  protected async renewSecret({ id, url }: Webhook): Promise<void> {
    const sure = await this.confirm.ask({
      title: $localize`Make a new secret?`,
      text: $localize`What is sent to ${url}:url: within a day is signed with the old secret and with the new one; from then on with the new one alone.`,
      action: $localize`Make a new secret`,
    });
    if (!sure) return;
    await this.action.run(async () => {
      this.made.set((await webhooksRenewSecret({ path: { id } })).data);
      this.webhooks.reload();
    });
  }

  protected async remove({ id, url }: Webhook): Promise<void> {
    const sure = await this.confirm.ask({
      title: $localize`Delete this webhook?`,
      text: $localize`Nothing more is sent to ${url}:url:, and the list of what was sent goes too. This cannot be undone.`,
      action: $localize`Delete`,
      tone: 'bad',
    });
    if (!sure) return;
    await this.action.run(() => webhooksRemove({ path: { id } }));
    if (this.made()?.id === id) this.made.set(undefined);
    if (this.opened() === id) this.opened.set(undefined);
    this.webhooks.reload();
  }

  protected deleteLabel({ url }: Webhook): string {
    return $localize`Delete ${url}:url:`;
  }

  protected secretLabel({ url }: Webhook): string {
    return $localize`New secret for ${url}:url:`;
  }

  protected toggle({ id }: Webhook): void {
    this.opened.update((before) => (before === id ? undefined : id));
  }

  protected lookAgain(): void {
    this.webhooks.reload();
    this.sent.reload();
  }
}
