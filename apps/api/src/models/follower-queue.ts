/** The number of items that may wait for a follower. */
export const MOST_WAITING = 100;

/** A bounded queue of what a follower of events has not received yet. */
export class FollowerQueue<T> {
  private readonly waiting = new Map<string, T>();
  private added = 0;

  /**
   * Adds an item to the end.
   * @param replaces a waiting item with the same key is removed, because the new one makes it
   *   obsolete; null: no item is removed
   * @returns false if the queue is full: the item was not added
   */
  push(item: T, replaces: string | null): boolean {
    const key = replaces === null ? `${this.added++}` : `latest ${replaces}`;
    this.waiting.delete(key);
    if (this.waiting.size >= MOST_WAITING) return false;
    this.waiting.set(key, item);
    return true;
  }

  /** Removes the first item and returns it. */
  shift(): T | undefined {
    for (const [key, item] of this.waiting) {
      this.waiting.delete(key);
      return item;
    }
    return undefined;
  }
}
