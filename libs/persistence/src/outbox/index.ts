// For: events that are stored with a transaction, and notifications.
export { ChannelSignal } from './channel-signal.js';
export { Notifications, notifyChannel } from './notifications.js';
export { OutboxRelay } from './outbox-relay.js';
export { Outbox, OutboxEvent, type OutboxRecord, OutboxRepository } from './outbox.js';
