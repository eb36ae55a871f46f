import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, rmSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { runCommand, successful } from '../../scripts/command.js';
import type { Bench, BenchRow } from './bench.js';
import { examplesFile } from './examples-file.js';
import { forgetPeak, MIB, memoryNow, peakMemory } from './process-memory.js';
import { figure, inTurn, median, range, ratios, seconds } from './samples.js';

const CHUNK = MIB;

/**
 * The upload of an artifact over HTTP to the blob store, including its hash and a flush to disk,
 * compared with `cp && sync` on the same disk.
 */
export const uploadBench: Bench = {
  name: 'upload',
  async run(context) {
    const { quick, rounds, folder, say } = context;
    const service = await context.service();
    const { world } = service;
    const task = await service.task(await examplesFile(folder, 200, 'upload'));
    const token = await world.user('ada');
    // the uploads are not images; the evaluator must not spend time on finding that out
    await world.stopEvaluator();

    const rows: BenchRow[] = [];
    const peaks: Record<'plain' | 'tus', number[]> = { plain: [], tus: [] };
    const sizes = quick ? [10 * MIB, 100 * MIB] : [100 * 1e6, 2 * 1e9];
    for (const size of sizes) {
      const file = await noise(folder, size);
      const peak: Record<'plain' | 'tus', number[]> = { plain: [], tus: [] };
      const upload = async (way: 'plain' | 'tus'): Promise<number> => {
        await mark(file);
        const { id, address } = await announce();
        forgetPeak(world.api.pid);
        const before = memoryNow(world.api.pid);
        const taken = await seconds(() => (way === 'plain' ? put(id, file) : patch(address, file)));
        peak[way].push(peakMemory(world.api.pid) / MIB);
        say(`  memory: ${figure(before / MIB)} MiB before, ${figure(peak[way].at(-1)!)} at most`);
        return taken;
      };
      // warm-up: the first uploads run code that is not compiled yet
      for (const way of ['plain', 'tus', 'plain', 'tus'] as const) await upload(way);
      peak.plain.length = peak.tus.length = 0;
      say(named(size));
      const { copied, plain, tus } = await inTurn(context, rounds ?? (quick ? 1 : 3), 's', {
        copied: () => seconds(() => copy(file, join(folder, 'copy'))),
        plain: () => upload('plain'),
        tus: () => upload('tus'),
      });
      peaks.plain.push(median(peak.plain));
      peaks.tus.push(median(peak.tus));
      rows.push(
        speed('upload with sha256', plain, copied, size),
        speed('upload with sha256 by tus', tus, copied, size),
      );
      rmSync(file);
    }
    await world.startEvaluator();
    rows.push(growth('plain', peaks.plain), growth('tus', peaks.tus));
    return rows;

    async function announce(): Promise<{ id: string; address: string }> {
      const body = { name: `upload ${performance.now()}`, kind: 'container' };
      const created = await world.call('POST', `/tasks/${task}/models`, { token, body });
      return { id: created.body.id as string, address: created.body.upload as string };
    }

    async function put(id: string, path: string): Promise<void> {
      const url = `${world.url}/api/v1/models/${id}/artifact`;
      await send('PUT', url, path, { 'content-type': 'application/octet-stream' }, 202);
    }

    /** Sends the whole file in one PATCH, like a client whose connection never breaks. */
    async function patch(address: string, path: string): Promise<void> {
      const { size } = await stat(path);
      const headers = { authorization: `Bearer ${token}`, 'tus-resumable': '1.0.0', 'upload-length': String(size) };
      const created = await fetch(address, { method: 'POST', headers });
      const type = {
        'content-type': 'application/offset+octet-stream',
        'upload-offset': '0',
        'tus-resumable': '1.0.0',
      };
      await send('PATCH', new URL(created.headers.get('location')!, address).href, path, type, 204);
    }

    async function send(
      method: string,
      url: string,
      path: string,
      headers: Readonly<Record<string, string>>,
      expected: number,
    ): Promise<void> {
      const { size } = await stat(path);
      const call = request(url, {
        method,
        headers: { ...headers, authorization: `Bearer ${token}`, 'content-length': size },
      });
      const answered = new Promise<number>((resolve, reject) => {
        call.on('error', reject);
        call.on('response', (response) => response.resume().on('end', () => resolve(response.statusCode ?? 0)));
      });
      await pipeline(createReadStream(path, { highWaterMark: CHUNK }), call);
      const status = await answered;
      if (status !== expected) throw new Error(`${method} ${url}: ${status}`);
    }
  },
};

const named = (size: number): string => (size >= 1e9 ? `${figure(size / 1e9)} GB` : `${figure(size / 1e6)} MB`);

function speed(what: string, uploaded: readonly number[], copied: readonly number[], size: number): BenchRow {
  const ratio = ratios(copied, uploaded);
  return {
    what: `${what} ÷ \`cp && sync\`, ${named(size)}`,
    goal: '≥ 0.3',
    measured: `${figure(median(ratio))} (${range(ratio)}; ${figure(size / 1e6 / median(uploaded))} MB/s)`,
    reached: median(ratio) >= 0.3,
  };
}

function growth(way: string, [small, large]: readonly number[]): BenchRow {
  const more = large! - small!;
  return {
    what: `the API's peak memory, large upload (${way}) over small one`,
    goal: '≤ + 20 MB',
    measured: `${more >= 0 ? '+' : '−'} ${figure(Math.abs(more))} MiB (${figure(small!)} → ${figure(large!)})`,
    reached: more <= 20,
  };
}

async function copy(from: string, to: string): Promise<void> {
  await successful(runCommand('sh', ['-c', 'cp "$0" "$1" && sync', from, to]));
  rmSync(to);
}

async function noise(folder: string, size: number): Promise<string> {
  const path = join(folder, `noise-${size}`);
  const block = randomBytes(CHUNK);
  const blocks = function* (): Generator<Buffer> {
    for (let left = size; left > 0; left -= CHUNK) yield left >= CHUNK ? block : block.subarray(0, left);
  };
  await pipeline(Readable.from(blocks()), createWriteStream(path));
  return path;
}

/**
 * Changes the first bytes of the file, because the blob store does not store known content again.
 */
async function mark(path: string): Promise<void> {
  const file = await open(path, 'r+');
  await file.write(randomBytes(16), 0, 16, 0);
  await file.close();
}
