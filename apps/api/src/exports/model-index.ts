import { declareMetric } from '@assay/contracts/metrics';
import { type EvaluationView, type ModelView } from '@assay/contracts/models';
import { type TaskDefinition } from '@assay/contracts/tasks';
import { type FigureMark } from '@assay/scoring/marks';
import { findMetric } from '@assay/scoring/metrics';
import { stringify } from 'yaml';

/** The Hugging Face Hub's names of tasks (huggingface.js, packages/tasks). */
const TASK_TYPES: Readonly<Record<TaskDefinition['output']['type'], string>> = {
  label: 'text-classification',
  labels: 'text-classification',
  span: 'question-answering',
  text: 'text-generation',
  number: 'tabular-regression',
};

/**
 * Returns the results of a model as the `model-index` of a Hugging Face model card: YAML for the
 * head of its README.
 */
export function modelIndexYaml(
  model: ModelView,
  marks: ReadonlyMap<string, readonly FigureMark[]>,
  { task, address }: { readonly task: TaskDefinition; readonly address: string },
): string {
  const hasImage = task.inputs.some((input) => input.type === 'image');
  const type = hasImage && task.output.type === 'label' ? 'image-classification' : TASK_TYPES[task.output.type];
  const scored = model.evaluations.filter((evaluation) => evaluation.state === 'scored');
  const results = scored.map((evaluation) => ({
    task: { type, name: task.name },
    dataset: datasetOf(task, evaluation),
    metrics: metricsOf(task, evaluation, marks.get(evaluation.dataset) ?? []),
    source: { name: 'Assay', url: address },
  }));
  return stringify({ 'model-index': [{ name: model.name, results }] }, { lineWidth: 0 });
}

function datasetOf(task: TaskDefinition, { dataset, version, perturbation }: EvaluationView): object {
  const name = `${task.name}: ${dataset}${perturbation ? `, ${perturbation}` : ''}`;
  return {
    type: `${task.slug}/${dataset}`,
    name,
    ...(perturbation && { config: perturbation }),
    revision: `v${version}`,
  };
}

function metricsOf(task: TaskDefinition, { metrics }: EvaluationView, marks: readonly FigureMark[]): object[] {
  return Object.entries(metrics).map(([name, { value, low, high }]) => {
    const hub = findMetric(name)?.hub;
    const interval = low === null || high === null ? {} : { confidence_interval_95: [low, high] };
    const unit = declareMetric(name, task.performance)?.unit ?? 'ratio';
    const args = { ...hub?.args, unit, ...interval, ...(marks.length > 0 && { marks: [...marks] }) };
    return { type: hub?.type ?? name, name, value, args };
  });
}
