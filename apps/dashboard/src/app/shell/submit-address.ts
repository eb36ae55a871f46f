/** Where a model is submitted from the page at `url`, an address within the dashboard. */
export function submitAddress(url: string): string {
  const [path = ''] = url.split(/[?#]/);
  const slug = /^\/tasks\/([^/]+)/.exec(path)?.[1];
  return slug === undefined || slug === 'new' ? '/submit' : `/tasks/${slug}/submit`;
}
