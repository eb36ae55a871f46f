import { modelsPutSupplement, ownmodelsList } from '@assay/api-client/fetch';
import { formatBytes } from '@assay/contracts/text';
import { artifactFile } from '../artifact/artifact-file.js';
import { CommandFailure, usageFailure } from '../command-failure.js';
import { allItems, type Api, contentOf } from '../connection/api.js';
import { fileBody } from '../connection/files.js';
import { rankOf, rankText } from '../follow/final-rank.js';
import { followModel, modelOf } from '../follow/follow-model.js';
import { failureText, modelText } from '../format/model-text.js';
import type { Session } from './command.js';

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Adds a file of predictions to one of the user's models, for datasets that came later, and follows
 * the evaluation.
 * @param given the name or the ID of the model
 * @throws CommandFailure with the code and the reason if the file is refused
 */
export async function submitSupplement(session: Session, given: string, path: string, wait: boolean): Promise<void> {
  const { api, server, output } = session;
  const file = await artifactFile(path, 'predictions', output);
  const id = await idOf(api, given);
  await contentOf(
    modelsPutSupplement({
      client: api,
      path: { id },
      headers: { 'content-digest': `sha-256=:${Buffer.from(file.digest, 'hex').toString('base64')}:` },
      body: await fileBody(file.path),
    }),
  );
  output.tell(`Uploaded ${formatBytes(file.size)} of predictions: sha256:${file.digest}`);

  const model = wait ? await followModel(api, server, id, output) : await modelOf(api, id);
  const sent = model.supplements?.findLast(({ digest }) => digest === file.digest);
  if (sent?.failure) throw new CommandFailure('modelFailed', sent.failure.code, failureText(sent.failure), { model });
  const rank = wait && model.published ? await rankOf(api, model.task, id) : null;
  const next = wait
    ? rankText(model.task, model, rank)
    : `The predictions are being checked. Show the progress: assay model show ${id}`;
  output.result({ ...model, ...(wait && { rank }) }, `${modelText(model)}\n\n${next}`);
}

async function idOf(api: Api, given: string): Promise<string> {
  if (ID.test(given)) return given;
  const models = await allItems((query) => ownmodelsList({ client: api, query }));
  const named = models.filter(({ name, kind }) => name === given && kind === 'predictions');
  if (named.length === 1) return named[0]!.id;
  if (named.length === 0) throw usageFailure(`You have no predictions model "${given}". See: assay model list TASK`);
  const ids = named.map(({ id, task }) => `${id} (${task})`).join(', ');
  throw usageFailure(`You have ${named.length} models "${given}". Give the ID of one: ${ids}.`);
}
