import { Component } from '@angular/core';
import {
  notificationsChange,
  type NotificationSettings,
  notificationsSettingsResource,
} from '@assay/api-client/angular';
import { Action, ActionProblem, Loaded } from '../ui/index.js';

type Kind = keyof NotificationSettings['kinds'];
type Channel = 'app' | 'mail';

/**
 * Chooses which notifications the user receives, and by which channel. Saves each change
 * immediately.
 */
@Component({
  selector: 'app-notification-settings-form',
  imports: [ActionProblem, Loaded],
  template: `
    <section class="stack" *appLoaded="settings; let chosen; skeleton: 4">
      <div>
        <h2 i18n>Events and channels</h2>
        @if (!chosen.mails) {
          <p class="muted" i18n>This service sends no mail; what you choose for it holds once it does.</p>
        }
      </div>
      <div class="table-frame">
        <table class="data">
          <thead>
            <tr>
              <th scope="col" i18n>When</th>
              <th scope="col" i18n>here</th>
              <th scope="col" i18n>by mail</th>
            </tr>
          </thead>
          <tbody>
            @for (kind of kinds; track kind.name) {
              <tr>
                <th scope="row">{{ kind.words }}</th>
                @for (channel of channels; track channel.name) {
                  <td>
                    <input
                      type="checkbox"
                      [checked]="chosen.kinds[kind.name][channel.name]"
                      [disabled]="action.busy()"
                      [attr.aria-label]="kind.words + ': ' + channel.words"
                      (change)="change(kind.name, channel.name, $event)"
                    />
                  </td>
                }
              </tr>
            }
          </tbody>
        </table>
      </div>
      <app-action-problem [of]="action" />
    </section>
  `,
  styles: `
    input {
      width: 18px;
      height: 18px;
      margin: 3px;
      accent-color: var(--accent);
    }

    table.data tbody th {
      font-weight: 400;
    }
  `,
})
export class NotificationSettingsForm {
  protected readonly settings = notificationsSettingsResource(() => ({}));
  protected readonly action = new Action();
  protected readonly kinds: readonly { readonly name: Kind; readonly words: string }[] = [
    { name: 'model_finished', words: $localize`A model of yours has all its scores` },
    { name: 'model_failed', words: $localize`A model of yours failed` },
    { name: 'loop_entered', words: $localize`A model of yours entered the loop` },
    { name: 'loop_left', words: $localize`A model of yours left the loop` },
    { name: 'example_decided', words: $localize`An example of yours is decided on` },
    { name: 'model_incomplete', words: $localize`A model of yours lacks predictions for a new dataset` },
    { name: 'round_opened', words: $localize`A round opens where you take part` },
    { name: 'round_closed', words: $localize`A round closes where you took part` },
    { name: 'webhook_disabled', words: $localize`A webhook of yours is disabled` },
  ];
  protected readonly channels: readonly { readonly name: Channel; readonly words: string }[] = [
    { name: 'app', words: $localize`here` },
    { name: 'mail', words: $localize`by mail` },
  ];

  protected async change(kind: Kind, channel: Channel, event: Event): Promise<void> {
    const isOn = (event.target as HTMLInputElement).checked;
    const body = { kinds: { [kind]: { [channel]: isOn } } };
    await this.action.run(() => notificationsChange({ body }));
    this.settings.reload();
  }
}
