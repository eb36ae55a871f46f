import { readFile } from 'node:fs/promises';
import { type Model, modelsSubmit } from '@assay/api-client/fetch';
import { isAdmissionFailure, ModelKind, Protocol } from '@assay/contracts/models';
import { formatBytes } from '@assay/contracts/text';
import { Option, type Command } from 'commander';
import { artifactFile, type ArtifactFile } from '../artifact/artifact-file.js';
import { CommandFailure, usageFailure } from '../command-failure.js';
import { contentOf } from '../connection/api.js';
import { followModel, modelOf } from '../follow/follow-model.js';
import { rankOf, rankText } from '../follow/final-rank.js';
import { fate, modelText } from '../format/model-text.js';
import { duration } from '../format/numbers.js';
import { PendingUploads, type PendingUpload } from '../upload/pending-uploads.js';
import { sendFile } from '../upload/send-file.js';
import { uploadBar } from '../upload/upload-bar.js';
import { command, connected, type Session } from './command.js';
import { submitSupplement } from './submit-supplement.js';

interface SubmitOptions {
  readonly name?: string;
  /** The model that predictions are added to. */
  readonly for?: string;
  readonly kind?: ModelKind;
  readonly description?: string;
  readonly card?: string;
  readonly trainedOn?: readonly string[];
  readonly derivedFrom?: readonly string[];
  readonly command?: readonly string[];
  readonly protocol: Protocol;
  readonly publish: boolean;
  readonly allowForeignEvaluators?: true;
  readonly wait: boolean;
}

type NewModel = SubmitOptions & { readonly name: string };

export const submitCommand = (): Command =>
  command('submit', 'submit a model, or more predictions for one, and follow the evaluation')
    .usage('[options] <task> <path>\n       assay submit [options] --for <model> <path>')
    .argument('<task>', 'the slug of the task; not with --for')
    .argument(
      '[path]',
      'an image (tar), the name of a local image, an ONNX export (folder, zip, tar), or predictions (.jsonl)',
    )
    .option('--name <name>', 'the name of the model on the board')
    .option('--for <model>', 'add predictions to this model of yours (name or ID), for datasets that came later')
    .addOption(
      new Option('--kind <kind>', 'the kind of submission, if it cannot be recognised').choices(ModelKind.options),
    )
    .option('--description <text>', 'one sentence about the model')
    .option('--card <file>', 'the model card, in Markdown')
    .option('--trained-on <datasets...>', 'the datasets that the model was trained on')
    .option('--derived-from <ids...>', 'the ids of the models of this task that it descends from')
    .option('--command <words...>', "the command to run instead of the image's own, such as: --command serve")
    .addOption(
      new Option('--protocol <protocol>', 'the protocol of the model').choices(Protocol.options).default('invocations'),
    )
    .option('--no-publish', 'do not publish it on the board yet')
    .option('--allow-foreign-evaluators', "let evaluators of the task's owner receive the file and run the model")
    .option('--no-wait', 'return when the upload is complete')
    .addHelpText(
      'after',
      '\nExample:\n  assay submit nli model.tar --name "Small BERT" --trained-on mnli' +
        '\n  assay submit --for "My predictions" round-4.jsonl\n\nAn interrupted upload continues when you repeat the command.',
    )
    .action(connected(submit));

async function submit(session: Session, task: string, path: string | undefined, options: SubmitOptions): Promise<void> {
  if (options.for !== undefined) {
    if (path !== undefined || options.name !== undefined) {
      throw usageFailure('With --for, give only the file: assay submit --for MODEL FILE');
    }
    return submitSupplement(session, options.for, task, options.wait);
  }
  if (path === undefined) throw usageFailure('Give a task and a path: assay submit TASK PATH --name NAME');
  if (options.name === undefined) throw usageFailure('Give the name of the model on the board with --name.');
  return submitModel(session, task, path, { ...options, name: options.name });
}

async function submitModel(session: Session, task: string, path: string, options: NewModel): Promise<void> {
  const { api, server, output } = session;
  const artifact = await artifactFile(path, options.kind, output);
  const id = await upload(session, task, artifact, options);
  await artifact.discard();

  const model = options.wait ? await followModel(api, server, id, output) : await modelOf(api, id);
  if (model.state === 'failed' || model.state === 'cancelled') {
    if (output.isLive) output.tell('');
    throw modelFailure(model);
  }
  const rank = options.wait && model.published ? await rankOf(api, task, id) : null;
  const next = options.wait
    ? rankText(task, model, rank)
    : `The model is being evaluated. Show its progress: assay model show ${id}`;
  output.result({ ...model, ...(options.wait && { rank }) }, `${modelText(model)}\n\n${next}`);
}

function modelFailure(model: Model): CommandFailure {
  const why = model.state === 'cancelled' ? 'The evaluation was cancelled.' : fate(model);
  // a model that was refused at admission never ran, so it has no log
  const ran = model.kind !== 'predictions' && !(model.failure && isAdmissionFailure(model.failure.code));
  const log = ran ? [`Show its log: assay model logs ${model.id}`] : [];
  return new CommandFailure(
    'modelFailed',
    model.failure?.code ?? model.state,
    [modelText({ ...model, failure: undefined as never, evaluations: [] }), why, ...log].join('\n\n'),
    { model },
  );
}

/**
 * Uploads the artifact. Continues with the model and the upload of an earlier, interrupted command.
 *
 * @returns the model's ID
 */
async function upload(session: Session, task: string, artifact: ArtifactFile, options: NewModel): Promise<string> {
  const { api, server, output } = session;
  const body = {
    name: options.name,
    kind: artifact.kind,
    description: options.description ?? '',
    protocol: options.protocol,
    ...(options.command && { command: [...options.command] }),
    card: options.card === undefined ? '' : await readFile(options.card, 'utf8'),
    trainedOn: [...(options.trainedOn ?? [])],
    ...(options.derivedFrom && { derivedFrom: [...options.derivedFrom] }),
    publish: options.publish,
    allowForeignEvaluators: options.allowForeignEvaluators ?? false,
  };
  const uploads = PendingUploads.of({ url: server.url, token: server.token, task, body, digest: artifact.digest });
  const known = await stillAwaited(session, await uploads.read());
  const pending: PendingUpload = known ?? (await contentOf(modelsSubmit({ client: api, path: { slug: task }, body })));
  await uploads.write(pending);
  if (known) output.tell(`Resuming the upload of ${options.name} (${known.id}).`);

  const bar = uploadBar(artifact.size, output);
  try {
    await sendFile({
      path: artifact.path,
      size: artifact.size,
      digest: artifact.digest,
      token: server.token,
      server: server.url,
      endpoint: pending.upload,
      location: pending.location,
      onLocation: (location) => uploads.write({ ...pending, location }),
      onProgress: (sent) => bar.update(sent),
      onCut: ({ message }, pause) => bar.tell(`${message.split('\n')[0]} Trying again in ${duration(pause / 1000)}.`),
    });
  } finally {
    bar.stop();
  }
  await uploads.forget();
  output.tell(`Uploaded ${formatBytes(artifact.size)} as ${artifact.kind}: sha256:${artifact.digest}`);
  return pending.id;
}

/** Returns the interrupted upload if its model still exists and awaits the artifact, else null. */
async function stillAwaited({ api }: Session, pending: PendingUpload | null): Promise<PendingUpload | null> {
  if (!pending) return null;
  try {
    const { state } = await modelOf(api, pending.id);
    return state === 'awaiting-artifact' ? pending : null;
  } catch (error) {
    if (error instanceof CommandFailure && error.ending === 'refused') return null;
    throw error;
  }
}
