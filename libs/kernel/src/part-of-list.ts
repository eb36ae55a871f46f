/** A page of a list, addressed by item ID. `most` is the maximum number of items. */
export interface PartOfList {
  readonly most: number;
  /** The ID of the item before the page; null for the first page. */
  readonly after: string | null;
}
