/**
 * Acts every `milliseconds` while somebody can see the page, and at once when they come back to it.
 * @returns what ends it
 */
export function everyWhileVisible(page: Document, milliseconds: number, act: () => void): () => void {
  let timer: ReturnType<typeof setInterval> | undefined;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  const follow = (): void => {
    if (page.visibilityState === 'visible') timer ??= setInterval(act, milliseconds);
    else stop();
  };
  const comeBack = (): void => {
    if (page.visibilityState === 'visible') act();
    follow();
  };
  page.addEventListener('visibilitychange', comeBack);
  follow();
  return () => {
    page.removeEventListener('visibilitychange', comeBack);
    stop();
  };
}
