/**
 * Calls `act` every `milliseconds` while the page is visible, and immediately when it becomes
 * visible again.
 * @returns a function that stops the calls
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
