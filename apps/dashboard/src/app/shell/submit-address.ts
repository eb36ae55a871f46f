/**
 * Returns the path of the submission page that fits the dashboard URL `url`: that of the same task,
 * else the choice of tasks.
 */
export function submitAddress(url: string): string {
  const [path = ''] = url.split(/[?#]/);
  const slug = /^\/tasks\/([^/]+)/.exec(path)?.[1];
  return slug === undefined || slug === 'new' ? '/submit' : `/tasks/${slug}/submit`;
}
