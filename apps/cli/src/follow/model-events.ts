import { isFinal, type ModelEvent } from '@assay/contracts/models';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { CommandFailure } from '../command-failure.js';
import { reachingFetch, refusalOf } from '../connection/api.js';
import type { Server } from '../connection/server.js';

/** Pauses between attempts to reconnect to an unreachable server, in milliseconds. */
const PAUSES = [500, 1000, 2000, 5000, 10_000, 10_000, 10_000, 10_000];

/**
 * Yields the events of a model until its final state. Reconnects after an interruption; the first
 * event of each connection carries the current state.
 */
export async function* modelEvents({ url, token }: Server, id: string): AsyncGenerator<ModelEvent> {
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

async function* eventsOnce(address: string, token: string | undefined): AsyncGenerator<ModelEvent> {
  const response = await reachingFetch(address, {
    headers: { accept: 'text/event-stream', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
  });
  if (!response.ok || !response.body) throw refusalOf(response.status, await response.text());
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { event: type, data } of events) {
    if (type === 'state' || type === 'progress' || type === 'score') {
      yield { ...(JSON.parse(data) as object), type } as ModelEvent;
    }
  }
}

const isCut = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof CommandFailure && error.ending === 'unreachable');
