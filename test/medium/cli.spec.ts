import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildCli, type Ended, type RunningCli, startCli } from '../factories/services/cli-runner.js';
import { publishBoard } from '../factories/models/published-board.js';
import { scoredModel } from '../factories/models/scored-models.js';
import { apiWorld, type ApiWorld } from '../factories/worlds/api-world.js';

const project = join(import.meta.dirname, '../..');
const sentiment = join(project, 'sandboxes/examples/sentiment');

describe('assay', () => {
  let world: ApiWorld;
  let folder: string;

  beforeAll(async () => {
    buildCli();
    world = await apiWorld();
    folder = mkdtempSync(join(tmpdir(), 'assay-cli-'));
    await assay('login', '--url', world.url, '--token', join(world.home, 'admin-token'));
    await assay('task', 'create', join(sentiment, 'task.yaml'));
  }, 300_000);

  afterAll(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /**
   * Runs the command to its end, with its own home folder: otherwise it would use the developer's.
   */
  function assay(...words: readonly string[]): Promise<Ended> {
    return run(words).ended;
  }

  function run(words: readonly string[], environment: Record<string, string> = {}): RunningCli {
    return startCli(folder, words, environment);
  }

  it('keeps the token where nobody else can read it', () => {
    const config = join(folder, '.config/assay/config.json');
    expect(statSync(config).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(config, 'utf8'))).toEqual({ url: world.url, tokens: { [world.url]: world.admin } });
  });

  it('makes a token of an e-mail address and a password', async () => {
    await world.user('ada');
    const home = { XDG_CONFIG_HOME: join(folder, 'ada'), ASSAY_PASSWORD: 'ada-has-a-password' };
    const login = await run(['login', '--url', world.url, '--email', 'ada@example.org'], home).ended;
    expect(login).toMatchObject({ code: 0, stdout: `Logged in to ${world.url} as ada (user).\n` });

    const wrong = { ...home, ASSAY_PASSWORD: 'x' };
    expect((await run(['login', '--url', world.url, '--email', 'ada@example.org'], wrong).ended).code).toBe(3);
  });

  it('takes no secret from the command itself, where others see it', async () => {
    const login = ['login', '--url', world.url];
    for (const secret of [
      ['--email', 'ada@example.org', '--password', 'ada-has-a-password'],
      ['--token', world.admin],
    ]) {
      const refused = await run([...login, ...secret], { XDG_CONFIG_HOME: join(folder, 'careless') }).ended;
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('Everybody on this machine can see') });
    }
  });

  it('finds the installation in the current folder without any login', async () => {
    const nobody = { XDG_CONFIG_HOME: join(folder, 'nobody'), ASSAY_HOME: world.home, ASSAY_URL: world.url };
    const { code, stdout } = await run(['task', 'show', 'sentiment', '--json'], nobody).ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ slug: 'sentiment', owner: 'admin' });
    const own = await run(['dataset', 'put', 'sentiment', 'own', join(sentiment, 'static.jsonl')], nobody).ended;
    expect(own.code).toBe(0);
  });

  it('makes a task of a definition that comes with it, under a name of its own', async () => {
    const list = await assay('task', 'ready');
    expect(list.code).toBe(0);
    expect(list.stdout).toMatch(/^vqa +Visual question answering +image \(image\), question \(text\) /m);
    const printed = await assay('task', 'ready', 'nli', '--json');
    expect(JSON.parse(printed.stdout)).toMatchObject({ slug: 'nli', collection: { fooled: 'label-differs' } });

    for (const name of ['nli', 'qa', 'sentiment', 'hate-speech', 'vqa', 'translation']) {
      const made = await assay('task', 'create', '--ready', name, '--slug', `ready-${name}`, '--json');
      expect(made.code).toBe(0);
      expect(JSON.parse(made.stdout)).toMatchObject({
        slug: `ready-${name}`,
        collection: { validations: expect.any(Number) },
      });
    }
    const unknown = await assay('task', 'create', '--ready', 'chess');
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('hate-speech, nli, qa') });
    expect((await assay('task', 'create')).code).toBe(2);
    expect((await assay('task', 'create', 'a.yaml', '--ready', 'nli')).code).toBe(2);
  });

  it('says in which line of a definition something is wrong', async () => {
    const lines = readFileSync(join(sentiment, 'task.yaml'), 'utf8').split('\n');
    const place = lines.findIndex((line) => line.startsWith('performance:'));
    writeFileSync(join(folder, 'wrong.yaml'), lines.with(place, 'performance: accuarcy').join('\n'));
    const wrong = await assay('task', 'create', 'wrong.yaml');
    expect(wrong.code).not.toBe(0);
    expect(wrong.stderr).toContain(`line ${place + 1}: performance: `);
  });

  it('puts a dataset, and refuses one with a bad line, naming it', async () => {
    const put = ['dataset', 'put', 'sentiment'];
    const good = await assay(
      ...put,
      'round-1',
      join(sentiment, 'round-1.jsonl'),
      '--round',
      '1',
      '--visibility',
      'public',
    );
    expect(good).toMatchObject({ code: 0, stdout: 'round-1 v1: 132 examples, active.\n' });

    const bad = join(folder, 'bad.jsonl');
    writeFileSync(bad, '{"text": "a", "label": "positive"}\n{"text": "b", "label": "splendid"}\n');
    const refused = await assay(...put, 'bad', bad, '--json');
    expect(refused.code).toBe(3);
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { exitCode: 3, status: 422 } });
    expect(refused.stderr).toMatch(/[Ll]ine 2: .*"splendid"/);

    const stranger = await assay(...put, 'bad', join(sentiment, 'task.yaml'));
    expect(stranger.code).toBe(2);
  });

  it('says what is wrong with a large dataset that is refused at its first line', async () => {
    const large = join(folder, 'large.jsonl');
    const line = `${JSON.stringify({ text: 'x'.repeat(1000), label: 'positive' })}\n`;
    writeFileSync(large, `{"text": 1}\n${line.repeat(30_000)}`);
    const { code, stderr } = await assay('dataset', 'put', 'sentiment', 'large', large);
    expect(stderr).toMatch(/[Ll]ine 1: "text"/);
    expect(code).toBe(3);
  });

  it('lists all tasks, also where they do not fit into one page', async () => {
    const { em } = world.orm;
    await em.execute(
      `insert into task (id, slug, owner_id, definition, created_at, updated_at)
       select gen_random_uuid(), 'listed-' || n, owner_id,
         jsonb_set(definition, '{slug}', to_jsonb('listed-' || n)), created_at, updated_at
       from task, generate_series(1, 205) n where slug = 'sentiment'`,
    );
    try {
      const listed = await assay('task', 'list', '--json');
      expect(listed.code).toBe(0);
      const { items } = JSON.parse(listed.stdout) as { items: { slug: string; owner: string }[] };
      expect(new Set(items.map(({ slug }) => slug)).size).toBe(items.length);
      expect(items.filter(({ slug }) => slug.startsWith('listed-'))).toHaveLength(205);
      expect(items.find(({ slug }) => slug === 'listed-205')).toMatchObject({
        owner: 'admin',
        output: { type: 'label' },
        openRound: null,
        models: 0,
        leaders: [],
      });

      const { code, stdout } = await assay('task', 'list');
      expect(code).toBe(0);
      expect(stdout).toMatch(/^listed-205 +.* +label \(label\) +0 +– +0 +no ranked models yet$/m);
    } finally {
      await em.execute("delete from task where slug like 'listed-%'");
    }
  });

  it('submits predictions and returns once they are there', async () => {
    const path = join(project, 'sandboxes/examples/predictions/predictions.jsonl');
    const { code, stdout } = await assay('submit', 'sentiment', path, '--name', 'Guesses', '--no-wait', '--json');
    expect(code).toBe(0);
    const digest = createHash('sha256').update(readFileSync(path)).digest('hex');
    const model = JSON.parse(stdout) as { id: string };
    expect(model).toMatchObject({ name: 'Guesses', kind: 'predictions', artifact: { digest } });

    const shown = await assay('model', 'show', model.id);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('Guesses · predictions by admin') });
    const withdrawn = await assay('model', 'withdraw', model.id, '--json');
    expect(JSON.parse(withdrawn.stdout)).toMatchObject({ withdrawn: true });
  });

  it('submits a folder with an ONNX export as one file', async () => {
    const exported = join(folder, 'export');
    const train = join(project, 'sandboxes/examples/onnx-bow/train.mjs');
    spawnSync(process.execPath, [train, join(sentiment, 'train.jsonl'), exported]);
    const { stdout } = await assay('submit', 'sentiment', exported, '--name', 'Bow', '--no-wait', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'onnx' });
  });

  /**
   * Prepares a command that uploads 24 MB of random bytes over a connection that stops after 8 MB.
   */
  async function slowUpload(name: string) {
    const path = join(folder, `${name}.tar`);
    const bytes = randomBytes(24_000_000);
    writeFileSync(path, bytes);
    const line = await throttledLine(world.url, 8_000_000);
    const words = ['submit', 'sentiment', path, '--name', name, '--kind', 'container', '--no-wait', '--json'];
    return { bytes, line, submit: () => run(words, { ASSAY_URL: line.url, ASSAY_TOKEN: world.admin }) };
  }

  it('says when an upload was cut, and continues with it by itself', async () => {
    const { line, submit } = await slowUpload('Cut once');
    try {
      const { ended } = submit();
      await line.full;
      line.open();
      line.cut();
      const { code, stderr } = await ended;
      expect(stderr).toMatch(/^The server at .* does not answer \(.*\)\. Trying again in 1 s\.$/m);
      expect(code).toBe(0);
    } finally {
      line.close();
    }
  });

  it('does not begin an upload again because it was refused for a moment to go on with it', async () => {
    const { line, bytes, submit } = await slowUpload('Refused');
    try {
      const { ended } = submit();
      await line.full;
      line.open();
      line.refuseNext();
      line.cut();
      const { code, stderr } = await ended;
      expect(stderr).toMatch(/^The server failed \(503\): Service Unavailable\. Trying again in 1 s\.$/m);
      expect(code).toBe(0);
      expect(line.sent()).toBeLessThan(bytes.length + 6_000_000);
    } finally {
      line.close();
    }
  });

  it('continues with an upload that was cut when it is given again', async () => {
    const { line, bytes, submit } = await slowUpload('Cut');
    try {
      const first = submit();
      await line.full;
      first.child.kill('SIGKILL');
      await first.ended;
      line.open();

      const second = await submit().ended;
      expect(second.stderr).toContain('Resuming the upload of Cut');
      expect(second.stderr).not.toContain('refused');
      expect(second.code).toBe(0);
      const digest = createHash('sha256').update(bytes).digest('hex');
      expect(JSON.parse(second.stdout)).toMatchObject({ artifact: { digest, size: bytes.length } });
      // bytes that had arrived were not sent again
      expect(line.sent()).toBeLessThan(bytes.length + 6_000_000);
    } finally {
      line.close();
    }
    const { stdout } = await assay('model', 'list', 'sentiment', '--json');
    const { items } = JSON.parse(stdout) as { items: { name: string }[] };
    expect(items.filter(({ name }) => name === 'Cut')).toHaveLength(1);
  });

  it('tells by its exit code what went wrong', async () => {
    const unknown = await assay('leaderboard', 'nothing', '--json');
    expect(unknown.code).toBe(3);
    expect(JSON.parse(unknown.stdout)).toMatchObject({ error: { code: 'not_found', status: 404 } });

    const down = await assay('leaderboard', 'sentiment', '--url', 'http://127.0.0.1:1');
    expect(down.code).toBe(5);
    expect(down.stderr).toContain('http://127.0.0.1:1 does not answer');

    expect((await assay('leaderboard')).code).toBe(2);
    expect((await assay('submit', 'sentiment', join(folder, 'none.jsonl'), '--name', 'x', '--kind', 'onnx')).code).toBe(
      2,
    );
    expect((await assay('--help')).stdout).toContain('Exit codes:');
  });

  it('verifies an account, and takes that back', async () => {
    await world.user('unverified');
    expect(await assay('user', 'verify', 'Unverified')).toMatchObject({
      code: 0,
      stdout: 'The account unverified is verified.\n',
    });
    const undone = await assay('user', 'verify', 'unverified', '--undo', '--json');
    expect(JSON.parse(undone.stdout)).toMatchObject({ username: 'unverified', verified: false, verifiedAt: null });
    expect(await assay('user', 'verify', 'unverifie')).toMatchObject({ code: 2 });
  });

  it('registers an evaluator, shows its token once, and removes it by its name', async () => {
    const none = await assay('evaluator', 'list');
    expect(none).toMatchObject({ code: 0, stdout: expect.stringContaining('No evaluators are registered.') });
    const { code, stdout } = await assay('evaluator', 'register', 'gpu-1');
    expect(code).toBe(0);
    const [, token] = / ASSAY_EVALUATOR_TOKEN=(assay_evaluator_\S+)$/m.exec(stdout)!;
    expect(stdout).toContain(`  export ASSAY_URL=${world.url} ASSAY_EVALUATOR_TOKEN=`);
    expect((await world.call('GET', '/evaluator', { token })).body).toMatchObject({ name: 'gpu-1', owner: null });
    const own = await assay('evaluator', 'register', 'mine', '--own', '--json');
    expect(JSON.parse(own.stdout)).toMatchObject({ name: 'mine', own: true, token: expect.any(String) });

    const list = await assay('evaluator', 'list');
    expect(list.stdout).toMatch(/^gpu-1 +everyone +new +.*never/m);
    expect(list.stdout).toMatch(/^mine +admin +new +/m);
    expect(list.stdout).not.toContain(token);
    const taken = await assay('evaluator', 'register', 'gpu-1');
    expect(taken).toMatchObject({ code: 3, stderr: expect.stringContaining('Another registered evaluator') });

    expect(await assay('evaluator', 'remove', 'gpu-1')).toMatchObject({ code: 0 });
    const { id } = JSON.parse(own.stdout) as { id: string };
    expect(JSON.parse((await assay('evaluator', 'remove', id, '--json')).stdout)).toEqual({ removed: 'mine', id });
    expect((await world.call('GET', '/evaluator', { token })).body.code).toBe('evaluator_removed');
    expect(await assay('evaluator', 'remove', 'gpu-1')).toMatchObject({ code: 2 });
  });

  it('says that a board is still empty', async () => {
    const { code, stderr } = await assay('leaderboard', 'sentiment');
    expect(code).toBe(3);
    expect(stderr).toContain('has no board yet');
    expect(await assay('loop', 'sentiment')).toMatchObject({
      code: 0,
      stdout: 'No model is in the loop of sentiment yet.\n',
    });
  });

  it('moves a random part of a hidden dataset into a public sample', async () => {
    const lines = readFileSync(join(sentiment, 'static.jsonl'), 'utf8').trimEnd().split('\n');
    const definition = readFileSync(join(sentiment, 'task.yaml'), 'utf8');
    writeFileSync(join(folder, 'sampled.yaml'), definition.replace('slug: sentiment', 'slug: sampled'));
    await assay('task', 'create', 'sampled.yaml');
    const put = await assay('dataset', 'put', 'sampled', 'secret', join(sentiment, 'static.jsonl'));
    expect(put.stderr).toContain('Warning: The task has hidden data, and no public dataset');
    expect(put.stderr).toContain('assay dataset sample sampled secret');
    const sample = ['dataset', 'sample', 'sampled', 'secret'];
    for (const [words, refusal] of [
      [['--count', '19'], 'A sample has at least 20 examples.'],
      [['--count', '500'], 'A sample of 500 needs at least 1,000.'],
    ] as const) {
      expect(await assay(...sample, ...words)).toMatchObject({ code: 2, stderr: expect.stringContaining(refusal) });
    }

    const { code, stdout } = await assay(...sample, '--count', '30');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        `secret v2: ${lines.length - 30} examples, active.\n` + 'secret-sample v1: 30 examples, active, public.\n',
    });
    const shown = await assay('task', 'show', 'sampled', '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({
      datasets: [
        { name: 'secret', version: 2, visibility: 'hidden', use: 'scoring' },
        { name: 'secret-sample', visibility: 'public', use: 'reporting', role: 'static' },
      ],
    });
    expect(shown.stdout).not.toContain('no_public_sample');
    const textsOf = async (name: string): Promise<string[]> => {
      const { stdout: content } = await assay('dataset', 'get', 'sampled', name);
      return content
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { readonly text: string }).text);
    };
    const [rest, drawn] = [await textsOf('secret'), await textsOf('secret-sample')];
    const all = lines.map((line) => (JSON.parse(line) as { readonly text: string }).text);
    expect([...rest, ...drawn].sort()).toEqual(all.sort());

    const again = await assay(...sample);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('already has a dataset secret-sample') });
    const open = await assay('dataset', 'sample', 'sampled', 'secret-sample');
    expect(open).toMatchObject({ code: 2, stderr: expect.stringContaining('needs no sample') });
  });

  it('hides a sample whose examples are still scored', async () => {
    const definition = readFileSync(join(sentiment, 'task.yaml'), 'utf8');
    const weighted = definition.replace(/^weights:.*$/m, 'weights: { accuracy: 1 }');
    writeFileSync(join(folder, 'ranked.yaml'), weighted.replace('slug: sentiment', 'slug: ranked'));
    await assay('task', 'create', 'ranked.yaml');
    await assay('dataset', 'put', 'ranked', 'secret', join(sentiment, 'static.jsonl'));
    await scoredModel(world, {
      slug: 'ranked',
      name: 'First',
      token: world.admin,
      answer: () => ({ text: 'neutral' }),
    });
    await publishBoard(world, 'ranked');

    const { code, stdout } = await assay('dataset', 'sample', 'ranked', 'secret');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^secret v2: \d+ examples, proposed\.\nsecret-sample v1: 20 examples, proposed, hidden\.\n/);
    const commands = stdout.split('\n').filter((line) => line.startsWith('  assay '));
    expect(commands).toHaveLength(2);
    const waiting = await assay('dataset', 'sample', 'ranked', 'secret');
    expect(waiting).toMatchObject({ code: 2, stderr: expect.stringContaining('secret has a proposed version') });
    for (const command of commands) {
      expect(await assay(...command.trim().split(' ').slice(1))).toMatchObject({ code: 0 });
    }
    const shown = await assay('task', 'show', 'ranked', '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({
      datasets: [
        { name: 'secret', version: 2, status: 'active', visibility: 'hidden' },
        { name: 'secret-sample', status: 'active', visibility: 'public' },
      ],
    });
  });

  it('refuses in a check what the server would refuse', async () => {
    const predictions = join(folder, 'predictions.jsonl');
    writeFileSync(predictions, '{"dataset": "round-1", "id": "nobody", "prediction": "positive"}\n');
    const { code, stdout } = await assay('check', predictions, '--task', 'sentiment', '--json');
    expect(code).toBe(6);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'predictions_incomplete', exitCode: 6 } });

    const noise = join(folder, 'noise.tar');
    writeFileSync(noise, randomBytes(10_000));
    const image = await assay('check', noise, '--kind', 'container', '--json');
    expect(image.code).toBe(6);
    expect(JSON.parse(image.stdout)).toMatchObject({ error: { code: 'not_an_image', failure: { fault: 'model' } } });
  });
});

/**
 * Opens a proxy to the API that holds back what a client sends beyond `bytes`, until it is opened.
 */
async function throttledLine(target: string, bytes: number) {
  const { port } = new URL(target);
  const sockets = new Set<Socket>();
  let sent = 0;
  let isOpen = false;
  let refuses = false;
  let fill = (): void => undefined;
  const full = new Promise<void>((resolve) => (fill = resolve));
  const server: Server = createServer((near) => {
    if (refuses) {
      refuses = false;
      near.once('data', () =>
        near.end('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'),
      );
      return;
    }
    const far = connect(Number(port), '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    far.pipe(near);
    near.on('data', (chunk) => {
      sent += chunk.length;
      far.write(chunk);
      if (isOpen || sent < bytes) return;
      near.pause();
      fill();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as { port: number };
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${address.port}`,
    full,
    sent: () => sent,
    open: () => void (isOpen = true),
    refuseNext: () => void (refuses = true),
    cut,
    close: () => {
      cut();
      server.close();
    },
  };
}
