import type { ServerResponse } from 'node:http';

/** The connection to a client that follows events. */
export interface FollowerConnection {
  /** True if bytes wait in the buffer of the connection, which is full. */
  readonly isFull: boolean;
  /**
   * Waits until the buffer of the connection has room.
   * @returns false if the client has read nothing for the stall timeout
   */
  untilRoom(): Promise<boolean>;
  /** Closes the connection if the client does not read the rest within the stall timeout. */
  closeSoon(): void;
}

/** Returns the connection of a response. `stalled`: the stall timeout in milliseconds. */
export function followerConnection(response: ServerResponse, stalled: number): FollowerConnection {
  return {
    get isFull() {
      return response.writableNeedDrain;
    },
    async untilRoom() {
      if (!response.writableNeedDrain) return true;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const hasRoom = () => resolve(true);
      const timer = setTimeout(() => resolve(false), stalled);
      response.once('drain', hasRoom).once('close', hasRoom);
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        response.off('drain', hasRoom).off('close', hasRoom);
      }
    },
    closeSoon() {
      if (response.closed) return;
      const timer = setTimeout(() => response.destroy(), stalled);
      response.once('close', () => clearTimeout(timer));
    },
  };
}
