import { failure, type Failure, type FailureCode } from '@assay/contracts/models';
import { count } from '@assay/contracts/text';

const NAMED = 10;

/** Collects missing or unknown IDs: the first ten by name, the others as a count. */
export class NamedIds {
  private readonly named: string[] = [];
  private total = 0;

  get size(): number {
    return this.total;
  }

  add(dataset: string, id: string): void {
    this.total++;
    if (this.named.length < NAMED) this.named.push(`${dataset} "${id.slice(0, 100)}"`);
  }

  /**
   * @param what the singular and the plural: `['prediction is missing', 'predictions are missing']`
   */
  failure(code: FailureCode, [one, several]: readonly [string, string]): Failure {
    const rest = this.total - this.named.length;
    const more = rest > 0 ? `, and ${count(rest)} more` : '';
    return failure(code, `${count(this.total)} ${this.total === 1 ? one : several}: ${this.named.join(', ')}${more}.`);
  }
}
