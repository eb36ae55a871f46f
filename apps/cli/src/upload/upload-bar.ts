import { formatBytes } from '@assay/contracts/text';
import { Format, SingleBar, type Options, type Params } from 'cli-progress';
import { duration } from '../format/numbers.js';
import type { Output } from '../output.js';

/** Shows the progress of an upload: a bar with rate and remaining time, or a line for every 10%. */
export interface UploadBar {
  update(sent: number): void;
  /** Prints a line of its own below the bar. */
  tell(text: string): void;
  stop(): void;
}

export function uploadBar(size: number, output: Output): UploadBar {
  return output.isLive ? drawnBar(size, output) : printedLines(size, output);
}

function drawnBar(size: number, output: Output): UploadBar {
  const started = performance.now();
  let first: number | null = null;
  const line = (options: Options, { progress, value, total }: Params): string => {
    const rate = (value - (first ?? value)) / Math.max(0.001, (performance.now() - started) / 1000);
    const left = rate > 0 ? `, ${duration((total - value) / rate)} left` : '';
    const bar = Format.BarFormat(progress, options);
    return `Uploading ${bar} ${Math.floor(progress * 100)}% of ${formatBytes(total)}, ${formatBytes(rate)}/s${left}`;
  };
  const bar = new SingleBar({
    format: line,
    stream: output.progress,
    hideCursor: true,
    barsize: 24,
    barCompleteChar: '█',
    barIncompleteChar: '░',
  });
  bar.start(size, 0);
  return {
    update: (sent) => {
      // the rate counts from the first update: a resumed upload does not start at 0
      first ??= sent;
      bar.update(sent);
    },
    tell: (text) => {
      bar.stop();
      output.tell(text);
      bar.start(size, bar.getProgress() * size);
    },
    stop: () => bar.stop(),
  };
}

function printedLines(size: number, output: Output): UploadBar {
  let told = -1;
  return {
    update: (sent) => {
      const tenth = Math.floor((sent / Math.max(1, size)) * 10);
      if (tenth <= told) return;
      told = tenth;
      output.tell(`Uploading: ${tenth * 10}% of ${formatBytes(size)}`);
    },
    tell: (text) => output.tell(text),
    stop: () => undefined,
  };
}
