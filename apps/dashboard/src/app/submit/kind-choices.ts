import type { SubmitModel, Task } from '@assay/api-client/angular';
import { isCost } from '../ui/metrics/metric-reading.js';

export type ModelKind = SubmitModel['kind'];

/** A kind of submission, with its explanation. */
export interface KindChoice {
  readonly kind: ModelKind;
  readonly name: string;
  /** The requirements, in a sentence. */
  readonly needs: string;
  /** The reason why the task does not accept this kind; absent if it does. */
  readonly refusal?: string;
  /** A caveat to know before submitting. */
  readonly caution?: string;
  /** The accepted file extensions, for the file dialog. */
  readonly endings: readonly string[];
}

type TaskTerms = Pick<Task, 'inputs' | 'output' | 'performance' | 'weights' | 'datasets'>;

/** Returns the three kinds of submission, as this task accepts them. */
export function kindChoices(task: TaskTerms): readonly KindChoice[] {
  return [
    {
      kind: 'container',
      name: $localize`Container`,
      needs: $localize`A server of your own in an image for linux/amd64, as docker save writes it: it answers GET /ping and POST /invocations on port 8080, and has no network.`,
      endings: ['.tar', '.tar.gz', '.tgz', '.tar.zst', '.tar.xz'],
    },
    {
      kind: 'onnx',
      name: $localize`ONNX bundle`,
      needs: $localize`The folder of an export to ONNX as a zip or tar: model.onnx, tokenizer.json, tokenizer_config.json and config.json. It is served for you.`,
      ...refusalOf(runnerRefusal(task)),
      endings: ['.zip', '.tar', '.tar.gz', '.tgz'],
    },
    {
      kind: 'predictions',
      name: $localize`Predictions only`,
      needs: $localize`The answers alone, as JSON Lines: one for every example of every set that counts. Your model stays with you, and nothing is run.`,
      ...refusalOf(hiddenRefusal(task)),
      ...(weighsCosts(task) && {
        caution: $localize`This board weighs costs, which predictions do not have, so they are listed but not ranked.`,
      }),
      endings: ['.jsonl', '.ndjson', '.json'],
    },
  ];
}

const refusalOf = (refusal: string | undefined): { readonly refusal?: string } =>
  refusal === undefined ? {} : { refusal };

/**
 * Returns why the built-in ONNX runner cannot serve this task. It classifies one text or a pair of
 * texts, and extracts answer spans from a text.
 */
function runnerRefusal({ inputs, output }: TaskTerms): string | undefined {
  const isText = inputs.every(({ type }) => type === 'text');
  if (isText && inputs.length <= 2 && (output.type === 'label' || output.type === 'span')) return undefined;
  return $localize`Not for this task: bundles are run for labels of one text or a pair, and for answers in a text.`;
}

function hiddenRefusal({ datasets }: TaskTerms): string | undefined {
  const counting = datasets.filter(({ status, use }) => status === 'active' && use === 'scoring');
  const hidden = counting.filter(({ visibility }) => visibility === 'hidden');
  if (hidden.length === 0) return undefined;
  const [some, all] = [hidden.length, counting.length];
  return $localize`Not for this task: ${some}:hidden: of its ${all}:all: sets are hidden, so nobody outside has all inputs.`;
}

/**
 * Returns whether costs count on the board. A task without explicit weights weighs CPU time and
 * memory.
 */
function weighsCosts({ weights }: TaskTerms): boolean {
  if (!weights) return true;
  return Object.entries(weights).some(([metric, weight]) => isCost(metric) && weight > 0);
}
