import { Component, inject, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import {
  type Invitation,
  type InvitationCreated,
  invitationsCreate,
  invitationsListResource,
  invitationsWithdraw,
} from '@assay/api-client/angular';
import { ShownSecret } from '../ui/fields/shown-secret.js';
import { Action, ActionProblem, Confirm, cursorPages, Empty, Loaded, Pager, When } from '../ui/index.js';

/** The invitations to register, with a button that creates another and shows its link once. */
@Component({
  selector: 'app-invitations',
  imports: [ActionProblem, Empty, Loaded, MatButton, Pager, ShownSecret, When],
  templateUrl: './invitations.html',
  styles: `
    :host {
      display: grid;
      grid-template-columns: minmax(0, 1fr);
      gap: 12px;
    }
  `,
})
export class Invitations {
  private readonly confirm = inject(Confirm);
  protected readonly pages = cursorPages(() => '');
  protected readonly list = invitationsListResource(() => ({ query: this.pages.query() }));
  protected readonly action = new Action();
  /** The invitation just created, with its link, which is shown only once. */
  protected readonly created = signal<InvitationCreated | undefined>(undefined);

  protected async create(): Promise<void> {
    await this.action.run(async () => {
      this.created.set((await invitationsCreate()).data);
      this.list.reload();
    });
  }

  protected async withdraw({ id }: Invitation): Promise<void> {
    const sure = await this.confirm.ask({
      title: $localize`Withdraw this invitation?`,
      text: $localize`Nobody can register with its link from then on.`,
      action: $localize`Withdraw`,
      tone: 'bad',
    });
    if (!sure) return;
    await this.action.run(() => invitationsWithdraw({ path: { id } }));
    if (this.created()?.id === id) this.created.set(undefined);
    this.list.reload();
  }
}
