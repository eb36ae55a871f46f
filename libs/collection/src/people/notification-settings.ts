import type { NotificationKind } from '@assay/contracts';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';

/** Where a kind of notification goes. */
export interface NotificationChannels {
  readonly app: boolean;
  readonly mail: boolean;
}

/** Of who has changed nothing. */
export const DEFAULT_CHANNELS: NotificationChannels = { app: true, mail: true };

const NotificationSettingsSchema = defineEntity({
  name: 'NotificationSettings',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    user: () => p.manyToOne(User).unique(),
    /** What is not named is as in `DEFAULT_CHANNELS`. */
    kinds: p.json<Readonly<Partial<Record<NotificationKind, NotificationChannels>>>>(),
  },
});

/** What somebody wants to be told of, and where. */
export class NotificationSettings extends NotificationSettingsSchema.class {
  channels(kind: NotificationKind): NotificationChannels {
    return this.kinds[kind] ?? DEFAULT_CHANNELS;
  }
}
NotificationSettingsSchema.setClass(NotificationSettings);
