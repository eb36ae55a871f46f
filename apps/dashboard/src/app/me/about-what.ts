import type { Notification } from '@assay/api-client/angular';

/** Returns the path of the page that a notification is about. */
export function aboutWhat(notification: Pick<Notification, 'task' | 'round' | 'model' | 'annotation'>): string {
  const { task, round, model, annotation } = notification;
  if (task === null) return '/me/webhooks';
  const at = `/tasks/${encodeURIComponent(task)}`;
  if (annotation !== null) return '/me/examples';
  if (model !== null) return `${at}/models/${model}`;
  return round === null ? at : `${at}/rounds/${round}`;
}
