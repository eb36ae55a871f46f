/** Rows of one height, one of which can have details of another height below it. All in CSS pixels. */
export interface RowLayout {
  readonly count: number;
  readonly height: number;
  /** Index of the row that is open; -1: none. */
  readonly open: number;
  readonly detailsHeight: number;
}

/** Rows from `start`, up to and without `end`. */
export interface RowWindow {
  readonly start: number;
  readonly end: number;
}

/** Where a row begins. */
export function rowTop({ height, open, detailsHeight }: RowLayout, index: number): number {
  return index * height + (open >= 0 && index > open ? detailsHeight : 0);
}

/** The height of all rows together. */
export const rowsHeight = (layout: RowLayout): number =>
  layout.count * layout.height + (layout.open >= 0 ? layout.detailsHeight : 0);

/** The rows that are seen between `top` and `top + room`, with `spare` more on either side. */
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
