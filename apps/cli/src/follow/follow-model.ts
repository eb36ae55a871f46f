import { type Model, modelsGet } from '@assay/api-client/fetch';
import { isFinal, type ModelEvent } from '@assay/contracts/models';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { createLogUpdate } from 'log-update';
import { CommandFailure } from '../command-failure.js';
import { type Api, contentOf, reachingFetch, refusalOf } from '../connection/api.js';
import type { Server } from '../connection/server.js';
import { type Output, printable } from '../output.js';
import { EvaluationProgress } from './evaluation-progress.js';

/**
 * Shows a model's evaluation until it ends: as a live table, or as lines if the terminal cannot
 * redraw.
 */
export async function followModel(api: Api, server: Server, id: string, output: Output): Promise<Model> {
  const progress = new EvaluationProgress();
  const update = output.isLive ? createLogUpdate(output.progress) : null;
  const draw = update && ((text: string) => update(printable(text)));
  let model = await modelOf(api, id);
  const show = (...lines: readonly (string | null)[]): void => {
    if (draw) draw(progress.table());
    else for (const line of lines) if (line !== null) output.tell(line);
  };
  const place = progress.refresh(model);
  if (isFinal(model.state)) return model;
  show(place);

  for await (const event of modelEvents(server, id)) {
    const line = event.type === 'ping' ? null : progress.take(event);
    // the place in the queue and the estimates change without an event of the model
    const isStale = event.type === 'ping' ? model.run !== undefined : event.type !== 'progress';
    if (isStale) model = await modelOf(api, id);
    show(line, isStale ? progress.refresh(model) : null);
  }
  update?.done();
  return modelOf(api, id);
}

export const modelOf = (api: Api, id: string): Promise<Model> => contentOf(modelsGet({ client: api, path: { id } }));

/** Pauses between attempts to reconnect to an unreachable server, in milliseconds. */
const PAUSES = [500, 1000, 2000, 5000, 10_000, 10_000, 10_000, 10_000];

/** An event of a model, or a sign that the connection is alive. */
type StreamEvent = ModelEvent | { readonly type: 'ping' };

/**
 * Yields the events of a model until its final state. Reconnects after an interruption; the first
 * event of each connection carries the current state.
 */
async function* modelEvents({ url, token }: Server, id: string): AsyncGenerator<StreamEvent> {
  for (let failures = 0; ; failures++) {
    try {
      for await (const event of eventsOnce(`${url}/api/v1/models/${encodeURIComponent(id)}/events`, token)) {
        failures = 0;
        yield event;
        if (event.type === 'state' && isFinal(event.state)) return;
      }
    } catch (error) {
      if (!isCut(error) || failures >= PAUSES.length) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSES[failures] ?? 10_000));
  }
}

async function* eventsOnce(address: string, token: string | undefined): AsyncGenerator<StreamEvent> {
  const response = await reachingFetch(address, {
    headers: { accept: 'text/event-stream', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
  });
  if (!response.ok || !response.body) throw refusalOf(response.status, await response.text());
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { event: type, data } of events) {
    if (type === 'state' || type === 'progress' || type === 'score' || type === 'ping') {
      yield { ...(JSON.parse(data) as object), type } as StreamEvent;
    }
  }
}

const isCut = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof CommandFailure && error.ending === 'unreachable');
