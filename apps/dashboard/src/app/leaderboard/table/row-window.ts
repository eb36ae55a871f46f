/**
 * The layout of rows of equal height, one of which can have details of another height below it. All
 * sizes are in CSS pixels.
 */
export interface RowLayout {
  readonly count: number;
  readonly height: number;
  /** The index of the row whose details are open. -1: none. */
  readonly open: number;
  readonly detailsHeight: number;
}

/** A range of rows. `end` is exclusive. */
export interface RowWindow {
  readonly start: number;
  readonly end: number;
}

/** The top of a row. */
export function rowTop({ height, open, detailsHeight }: RowLayout, index: number): number {
  return index * height + (open >= 0 && index > open ? detailsHeight : 0);
}

/** The total height of all rows. */
export const rowsHeight = (layout: RowLayout): number =>
  layout.count * layout.height + (layout.open >= 0 ? layout.detailsHeight : 0);

/** Returns the rows in view between `top` and `top + room`, with `spare` more on each side. */
export function rowWindow(layout: RowLayout, top: number, room: number, spare: number): RowWindow {
  const start = Math.max(0, indexAt(layout, top) - spare);
  const end = Math.min(layout.count, indexAt(layout, top + room) + 1 + spare);
  return { start: Math.min(start, end), end };
}

function indexAt({ height, open, detailsHeight }: RowLayout, y: number): number {
  const opened = (open + 1) * height;
  if (open < 0 || y < opened) return Math.floor(y / height);
  return y < opened + detailsHeight ? open : Math.floor((y - detailsHeight) / height);
}
