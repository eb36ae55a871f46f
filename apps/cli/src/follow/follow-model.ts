import { type Model, modelsGet } from '@assay/api-client/fetch';
import { isFinal } from '@assay/contracts/models';
import { createLogUpdate } from 'log-update';
import { contentOf, type Api } from '../connection/api.js';
import type { Server } from '../connection/server.js';
import { printable } from '../format/printable.js';
import type { Output } from '../output.js';
import { EvaluationProgress } from './evaluation-progress.js';
import { modelEvents } from './model-events.js';

/**
 * Shows a model's evaluation until it ends: as a live table, or as lines if the terminal cannot
 * redraw.
 */
export async function followModel(api: Api, server: Server, id: string, output: Output): Promise<Model> {
  const progress = new EvaluationProgress();
  const update = output.isLive ? createLogUpdate(output.progress) : null;
  const draw = update && ((text: string) => update(printable(text)));
  let model = await modelOf(api, id);
  progress.refresh(model);
  if (isFinal(model.state)) return model;
  draw?.(progress.table());

  for await (const event of modelEvents(server, id)) {
    const line = progress.take(event);
    if (event.type !== 'progress') {
      model = await modelOf(api, id);
      progress.refresh(model);
    }
    if (draw) draw(progress.table());
    else if (line !== null) output.tell(line);
  }
  update?.done();
  return modelOf(api, id);
}

export const modelOf = (api: Api, id: string): Promise<Model> => contentOf(modelsGet({ client: api, path: { id } }));
