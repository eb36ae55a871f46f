// For: telling people what happened: notifications in the dashboard, by mail and by webhook.
// Knows: notices, their recipients' channels, webhooks with their deliveries.
// Must not know: tasks, rounds, models, HTTP, which event causes a notice.
export { enqueueConfirmations, enqueueMails, type Notice, notify } from './notices.js';
export { NotificationSettings } from './notification-settings.js';
export { notificationTitle, UserNotification } from './user-notification.js';
export { NotificationsModule } from './notifications.module.js';
export { NotificationsService } from './notifications.service.js';
export { notificationsPersonalData } from './personal-data.js';
