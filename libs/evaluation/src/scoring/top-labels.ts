import { type Answer, labelDiffers } from '@assay/contracts';
import type { TaskOutput } from '@assay/contracts/tasks';

/** Counts the answers whose label is not the most probable one by their own probabilities. */
export class TopLabels {
  private count: number | null = null;

  /** The number so far; null if no answer had probabilities. */
  get differing(): number | null {
    return this.count;
  }

  add(output: TaskOutput, { text, probabilities }: Answer): void {
    if (output.type !== 'label' || !probabilities) return;
    this.count = (this.count ?? 0) + Number(labelDiffers(output.labels, text, probabilities));
  }
}
