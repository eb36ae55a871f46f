/** Which part of a list to read, by the ids of its items. */
export interface PartOfList {
  readonly most: number;
  /** The id of the item that stands before it; null: it is the beginning. */
  readonly after: string | null;
}
