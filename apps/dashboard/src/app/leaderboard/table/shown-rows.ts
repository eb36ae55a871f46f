import { computed, inject, Injectable, LOCALE_ID } from '@angular/core';
import { FIGURE_MARKS, marksLegend, markText, type NamedEvaluator } from '@assay/scoring/marks';
import { Numbers } from '../../ui/index.js';
import type { Column, Fact, FigureColumn } from '../board/board-columns.js';
import type { Figure } from '../board/board-figures.js';
import { BoardState } from '../board/board-state.js';
import { differenceTitle, kindName, whyMissing } from '../board/column-words.js';
import { metricReading } from '../../ui/metrics/metric-reading.js';
import { type Standing } from '../board/standings.js';

/** A cell of the table, formatted. */
export interface ShownCell {
  readonly id: string;
  /** The value, or the reason why there is none. */
  readonly text: string;
  /** Half the width of the interval. Empty if there is none. */
  readonly margin: string;
  /** The marks of the figure, and their names. */
  readonly marks: string;
  readonly markNames: string;
  /** The details of the figure, for a tooltip. */
  readonly title: string;
  readonly figure: Figure | undefined;
  readonly scale: readonly [number, number];
  /** True if the cell has no value. `text` then gives the reason. */
  readonly isMissing: boolean;
}

/** A row of the table, formatted. */
export interface ShownRow {
  /** The index among the shown rows, from 0. */
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  /** Evaluators of users that ran the model. */
  readonly evaluators: readonly NamedEvaluator[];
  /** Null if the model is below the baseline or lacks a metric that has a weight. */
  readonly rank: number | null;
  /** The rank under the task's own weights. Null if it has none. */
  readonly officialRank: number | null;
  /** Empty if the model lacks a metric that has a weight. */
  readonly score: string;
  readonly standing: Standing | undefined;
  /** The position on the whole board, from 0. Undefined without a rank. */
  readonly place: number | undefined;
  readonly cells: readonly ShownCell[];
}

const NO_SCALE = [0, 0] as const;

/** Formats rows for the reader's locale. Only rows in view are requested. */
@Injectable()
export class ShownRows {
  private readonly state = inject(BoardState);
  private readonly numbers = inject(Numbers);
  private readonly dates = new Intl.DateTimeFormat(inject(LOCALE_ID), { dateStyle: 'medium' });

  /** The cells of a model, formatted once: metric weights do not change their data. */
  private readonly cells = computed(() => {
    const columns = this.state.columns();
    // track these signals even before the first cell is formatted, because a change of any
    // invalidates the cells
    const { file, view, loop, scales, differences } = this.state;
    for (const read of [file, view, loop, scales, differences]) read();
    const written = new Map<number, readonly ShownCell[]>();
    return (model: number): readonly ShownCell[] => {
      const cells = written.get(model) ?? columns.map((column) => this.cell(column, model));
      written.set(model, cells);
      return cells;
    };
  });

  row(index: number): ShownRow {
    const { ranking, below } = this.state.ranks()!;
    const { names, owners, evaluators, matrix } = this.state.file()!;
    const model = this.state.rowModels()[index]!;
    // undefined for rows after the ranked ones
    const place = this.state.shown()[index];
    const id = matrix.ids[model]!;
    const score = place === undefined ? below?.dynascore[below.order.indexOf(model)] : ranking.dynascore[place]!;
    return {
      ...{ index, id, name: names[model]!, owner: owners[model]!, evaluators: evaluators?.[model] ?? [] },
      rank: place === undefined ? null : ranking.rank[place]!,
      officialRank: this.state.official()!.ranks[model]! || null,
      score: score === undefined ? '' : this.numbers.percent(score / 100),
      standing: this.state.standings().get(id),
      place,
      cells: this.cells()(model),
    };
  }

  /** The interval, the number of examples and the marks of a figure, in words. */
  title(column: FigureColumn, figure: Figure): string {
    const { unit, isScore } = column.metric;
    const examples = isScore ? $localize`${this.numbers.count(figure.examples)}:count: examples` : '';
    const words = [this.numbers.interval(unit, figure), examples].filter((part) => part !== '').join(', ');
    return [words, ...marksLegend(figure.marks)].filter((part) => part !== '').join('\n');
  }

  private cell(column: Column, model: number): ShownCell {
    if (column.type === 'fact') return { ...PLAIN_CELL, id: column.id, ...this.fact(column.id, model) };
    const figure = this.state.view()!.figures.figure(column, model);
    if (!figure) {
      const why = whyMissing(column, this.state.file()!.kinds[model]!);
      return { ...PLAIN_CELL, id: column.id, text: why, isMissing: true };
    }
    const { unit } = column.metric;
    return {
      ...{ id: column.id, figure, isMissing: false },
      text: this.numbers.value(unit, figure.value),
      margin: this.numbers.margin(unit, figure),
      marks: markText(figure.marks),
      markNames: figure.marks.map((mark) => FIGURE_MARKS[mark].name).join(', '),
      title: this.title(column, figure),
      scale: this.state.scales().get(column.id)!,
    };
  }

  private difference(id: string): Partial<ShownCell> {
    const [found, against] = [this.state.differences().get(id), this.state.against()];
    if (!found || !against) return {};
    const { difference, holm, verdict, comparable, of } = found;
    const { unit } = metricReading(against.metric, this.state.file()!.matrix.performance);
    const margin = this.numbers.margin(unit, difference);
    const value = `${this.numbers.signed(unit, difference.value)}${margin === '' ? '' : ` ± ${margin}`}`;
    return {
      text: verdict === 'none' ? `≈ ${value}` : value,
      title: differenceTitle({ verdict, p: holm, comparable, of }),
    };
  }

  private fact(fact: Fact, model: number): Partial<ShownCell> {
    const { kinds, sizes, acceptedAt, matrix } = this.state.file()!;
    const id = matrix.ids[model]!;
    switch (fact) {
      case 'loop':
        return { text: this.state.loop().has(id) ? '●' : '' };
      case 'against':
        return this.difference(id);
      case 'kind':
        return { text: kindName(kinds[model]!) };
      case 'size':
        return sizes[model] == null ? missing($localize`not known`) : { text: this.numbers.bytes(sizes[model]) };
      case 'accepted': {
        const at = acceptedAt[model];
        return at == null ? missing($localize`not known`) : { text: this.dates.format(new Date(at)) };
      }
    }
  }
}

const PLAIN_CELL = {
  text: '',
  margin: '',
  marks: '',
  markNames: '',
  title: '',
  figure: undefined,
  scale: NO_SCALE,
  isMissing: false,
};

const missing = (why: string): Partial<ShownCell> => ({ text: why, isMissing: true });

/**
 * The accessible name of the checkbox that selects a model for comparison. It is set here because
 * i18n of an attribute with an interpolated value does not work for aria attributes.
 */
export const compareLabel = (name: string): string => $localize`Compare ${name}:name:`;
