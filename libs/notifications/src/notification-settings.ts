import type { NotificationKind } from '@assay/contracts/people';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';

/** The channels of a kind of notification. */
export interface NotificationChannels {
  readonly app: boolean;
  readonly mail: boolean;
}

/** The channels of users who have changed nothing. */
export const DEFAULT_CHANNELS: NotificationChannels = { app: true, mail: true };

const NotificationSettingsSchema = defineEntity({
  name: 'NotificationSettings',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    user: () => p.manyToOne(User).unique(),
    /** The channels by kind. Missing kinds use `DEFAULT_CHANNELS`. */
    kinds: p.json<Readonly<Partial<Record<NotificationKind, NotificationChannels>>>>(),
  },
});

/** A user's choice of notifications and channels. */
export class NotificationSettings extends NotificationSettingsSchema.class {
  channels(kind: NotificationKind): NotificationChannels {
    return this.kinds[kind] ?? DEFAULT_CHANNELS;
  }
}
NotificationSettingsSchema.setClass(NotificationSettings);
