import { computed, inject, Injectable, LOCALE_ID } from '@angular/core';
import { FIGURE_MARKS, marksLegend, markText } from '@assay/scoring';
import { Numbers } from '../ui/numbers.js';
import type { Column, Fact, FigureColumn } from './board-columns.js';
import type { Figure } from './board-figures.js';
import { BoardState } from './board-state.js';
import { kindName, whyMissing } from './column-words.js';
import { type Bracket, bracketOf, type Standing } from './standings.js';

/** A cell as it is written. */
export interface ShownCell {
  readonly id: string;
  /** The value, or why there is none. */
  readonly text: string;
  /** Half the width of its interval, where it has one. */
  readonly margin: string;
  /** The marks of the figure, and their names. */
  readonly marks: string;
  readonly markNames: string;
  /** In full, for who looks closer. */
  readonly title: string;
  readonly figure: Figure | undefined;
  readonly scale: readonly [number, number];
  /** Of a cell without value: `text` says why. */
  readonly isMissing: boolean;
}

/** A row of the board as it is written. */
export interface ShownRow {
  /** From 0, as it stands among the rows that are shown. */
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  /** Null: it has none, as it lacks a metric that weighs. */
  readonly rank: number | null;
  /** With the task's own weights; null: it has none. */
  readonly officialRank: number | null;
  /** Empty without a rank. */
  readonly score: string;
  readonly standing: Standing | undefined;
  readonly bracket: Bracket | undefined;
  readonly cells: readonly ShownCell[];
}

const NO_SCALE = [0, 0] as const;

/** Writes rows in words and the reader's numbers; only those in sight are asked for. */
@Injectable()
export class ShownRows {
  private readonly state = inject(BoardState);
  private readonly numbers = inject(Numbers);
  private readonly dates = new Intl.DateTimeFormat(inject(LOCALE_ID), { dateStyle: 'medium' });

  /** The cells of a model, written once: what they are read from stays while the weights of metrics change. */
  private readonly cells = computed(() => {
    const columns = this.state.columns();
    // another of these means other cells, also where none has been written yet
    for (const read of [this.state.file, this.state.view, this.state.loop, this.state.standings]) read();
    const written = new Map<number, readonly ShownCell[]>();
    return (model: number): readonly ShownCell[] => {
      const cells = written.get(model) ?? columns.map((column) => this.cell(column, model));
      written.set(model, cells);
      return cells;
    };
  });

  row(index: number): ShownRow {
    const { ranking } = this.state.ranks()!;
    const { names, owners, matrix } = this.state.file()!;
    const model = this.state.rowModels()[index]!;
    // undefined below the rows with a rank
    const place = this.state.shown()[index];
    const id = matrix.ids[model]!;
    return {
      ...{ index, id, name: names[model]!, owner: owners[model]! },
      rank: place === undefined ? null : ranking.rank[place]!,
      officialRank: this.state.official()!.ranks[model]! || null,
      score: place === undefined ? '' : this.numbers.percent(ranking.dynascore[place]! / 100),
      standing: this.state.standings().get(id),
      bracket: bracketOf(this.groupAt(index), this.groupAt(index - 1), this.groupAt(index + 1)),
      cells: this.cells()(model),
    };
  }

  /** A figure, and its interval where it has one, in words. */
  title(column: FigureColumn, figure: Figure): string {
    const { unit } = column.metric;
    const words: string[] = [];
    if (figure.low !== null && figure.high !== null) {
      const [low, high] = [this.numbers.value(unit, figure.low), this.numbers.value(unit, figure.high)];
      words.push($localize`95% interval ${low}:low: to ${high}:high:`);
    }
    if (column.metric.isScore) words.push($localize`${this.numbers.count(figure.examples)}:count: examples`);
    return [words.join(', '), ...marksLegend(figure.marks)].filter((part) => part !== '').join('\n');
  }

  private cell(column: Column, model: number): ShownCell {
    if (column.type === 'fact') return { ...PLAIN_CELL, id: column.id, ...this.fact(column.id, model) };
    const figure = this.state.view()!.figures.figure(column, model);
    if (!figure) {
      const why = whyMissing(column, this.state.file()!.kinds[model]!);
      return { ...PLAIN_CELL, id: column.id, text: why, isMissing: true };
    }
    const { value, low, high } = figure;
    const { unit } = column.metric;
    return {
      ...{ id: column.id, figure, isMissing: false },
      text: this.numbers.value(unit, value),
      margin: low === null || high === null ? '' : this.numbers.margin(unit, low, high),
      marks: markText(figure.marks),
      markNames: figure.marks.map((mark) => FIGURE_MARKS[mark].name).join(', '),
      title: this.title(column, figure),
      scale: this.state.view()!.figures.scale(column),
    };
  }

  private fact(fact: Fact, model: number): Partial<ShownCell> {
    const { kinds, sizes, acceptedAt, matrix } = this.state.file()!;
    const id = matrix.ids[model]!;
    switch (fact) {
      case 'loop':
        return { text: this.state.loop().has(id) ? '●' : '' };
      case 'kind':
        return { text: kindName(kinds[model]!) };
      case 'size':
        return sizes[model] == null ? missing($localize`not known`) : { text: this.numbers.bytes(sizes[model]) };
      case 'accepted': {
        const at = acceptedAt[model];
        return at == null ? missing($localize`not known`) : { text: this.dates.format(new Date(at)) };
      }
      case 'first': {
        const first = this.state.standings().get(id)?.first;
        return first == null ? missing($localize`not computed`) : { text: this.numbers.percent(first) };
      }
    }
  }

  /** Brackets join rows that stand beside each other by rank alone. */
  private groupAt(index: number): string | undefined {
    if (this.state.query().sort) return undefined;
    const place = this.state.shown()[index];
    if (place === undefined) return undefined;
    const model = this.state.ranks()!.ranking.order[place]!;
    return this.state.standings().get(this.state.file()!.matrix.ids[model]!)?.group;
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

/** Of the box by which a model is compared; i18n of an attribute with a value in it reaches no aria attribute. */
export const compareLabel = (name: string): string => $localize`Compare ${name}:name:`;
