/** The connection of a follower that reads all events at once. */
export const READING_CONNECTION = {
  isFull: false,
  untilRoom: () => Promise.resolve(true),
  closeSoon: () => undefined,
};
