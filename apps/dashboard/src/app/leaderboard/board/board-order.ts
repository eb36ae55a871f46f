import type { MatrixFile } from '@assay/scoring/board';
import type { Column, Fact } from './board-columns.js';
import type { BoardFigures } from './board-figures.js';
import type { Sorting } from './board-query.js';
import type { RowOrder } from './board-rows.js';

/** The data by which rows can be sorted, other than their rank. */
export interface SortableBoard {
  readonly file: MatrixFile;
  readonly figures: BoardFigures;
  readonly columns: readonly Column[];
  readonly loop: ReadonlySet<string>;
  /** By model ID, the difference from another model or from the previous benchmark version. */
  readonly differences?: ReadonlyMap<string, { readonly difference: { readonly value: number } }>;
}

/** The ID of the name column. It is not one of `allColumns`, because it is always shown. */
export const NAME_COLUMN = 'model';
export const RANK_COLUMN = 'rank';

/** Returns the order of the rows. Null: in order of rank, also if the column does not exist. */
export function rowOrder(sorting: Sorting | null, board: SortableBoard): RowOrder | null {
  if (!sorting) return null;
  const { by, descending } = sorting;
  if (by === RANK_COLUMN) return descending ? { key: (_, place) => place, descending } : null;
  if (by === NAME_COLUMN) {
    const places = placesByText(board.file.names);
    return { key: (model) => places[model]!, descending };
  }
  const column = board.columns.find(({ id }) => id === by);
  if (!column) return null;
  if (column.type === 'fact') return { key: factKey(column.id, board), descending };
  return { key: (model) => board.figures.value(column, model), descending };
}

function factKey(fact: Fact, { file, loop, differences }: SortableBoard): RowOrder['key'] {
  const { ids } = file.matrix;
  switch (fact) {
    case 'loop':
      return (model) => (loop.has(ids[model]!) ? 1 : 0);
    case 'against':
      return (model) => differences?.get(ids[model]!)?.difference.value ?? NaN;
    case 'size':
      return (model) => file.sizes[model] ?? NaN;
    case 'accepted':
      return (model) => Date.parse(file.acceptedAt[model] ?? '');
    case 'kind': {
      const places = placesByText(file.kinds);
      return (model) => places[model]!;
    }
  }
}

/** Returns the position of each text in the sorted distinct texts. Equal texts share a position. */
function placesByText(texts: readonly string[]): Float64Array {
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  const order = Array.from(new Set(texts)).sort(compare);
  const places = new Map(order.map((text, place) => [text, place]));
  return Float64Array.from(texts, (text) => places.get(text)!);
}
