// The page on which a crowd worker writes examples. Plain JavaScript, without a build. The token
// stays in this closure and is lost with the page. The browser stores only a random secret, without
// which nobody can continue the worker's assignments.
const signed = decodeURIComponent(location.pathname.split('/').at(-1));
const query = Object.fromEntries(new URLSearchParams(location.search));
const IDS = ['assignmentId', 'hitId', 'workerId', 'turkSubmitTo', 'PROLIFIC_PID', 'STUDY_ID', 'SESSION_ID'];
const PREVIEW = 'ASSIGNMENT_ID_NOT_AVAILABLE';
/** The milliseconds between two attempts while a model is starting. */
const PATIENCE = 3000;
const TRIES = 100;
const secret = browserSecret();

const place = (id) => document.getElementById(id);
let token;
let offer;
let session;

/** Creates an element. Text is never parsed as HTML. */
function make(tag, properties = {}, ...children) {
  const { data = {}, ...own } = properties;
  const element = Object.assign(document.createElement(tag), own);
  for (const [name, value] of Object.entries(data)) element.setAttribute(name, value);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

class Refusal extends Error {
  constructor({ code, detail }, status) {
    super(detail ?? 'The service does not answer. Try again in a moment.');
    this.code = code;
    this.status = status;
  }
}

async function ask(method, path, body) {
  const response = await fetch(new URL(path, location.href), {
    method,
    credentials: 'omit',
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { response, answer: text === '' ? null : JSON.parse(text) };
}

async function call(method, path, body) {
  let { response, answer } = await ask(method, path, body);
  if (response.status === 401 && token !== undefined) {
    // the token has expired: continues the same assignment with another one
    await beginSession();
    ({ response, answer } = await ask(method, path, body));
  }
  if (response.ok) return answer;
  throw new Refusal(answer ?? {}, response.status);
}

async function beginSession() {
  const ids = Object.fromEntries(IDS.filter((name) => query[name]).map((name) => [name, query[name]]));
  token = undefined;
  ({ token, session } = await call('POST', 'sessions', { link: signed, secret, ...ids }));
}

/**
 * Returns the secret that proves that this browser started an assignment, because others may know
 * the platform's IDs. It is stored for as long as the browser allows.
 */
function browserSecret() {
  const name = 'assay-crowd-secret';
  const fresh = [...crypto.getRandomValues(new Uint8Array(32))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  try {
    if (localStorage.getItem(name) === null) localStorage.setItem(name, fresh);
    return localStorage.getItem(name) ?? fresh;
  } catch {
    // no storage in this frame: the secret is lost with the page
    return fresh;
  }
}

/**
 * Repeats a call while the model is starting. A sent example has a key, so it remains one example
 * however often it is sent.
 */
async function callPatiently(method, path, body) {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await call(method, path, body);
    } catch (error) {
      if (error.status !== 503 || left === 0) throw error;
      say(error.message);
      await new Promise((resolve) => setTimeout(resolve, PATIENCE));
    }
  }
}

function say(text) {
  place('status').textContent = text;
}

function complain(error) {
  const problem = place('problem');
  problem.textContent = error?.message ?? '';
  problem.hidden = !error;
  if (error && !(error instanceof Refusal)) console.error(error);
}

/** Shows a step and focuses its heading, so that screen readers start there. */
function show(title, ...content) {
  complain(null);
  say('');
  const heading = make('h1', { textContent: title, tabIndex: -1 });
  place('page').replaceChildren(heading, ...content.flat().filter(Boolean));
  heading.focus();
}

/**
 * Runs `work` for a button or a form, unless it is already running. Disables all buttons meanwhile.
 */
async function doing(control, work) {
  if (control.dataset.busy) return;
  control.dataset.busy = 'yes';
  const buttons = [...document.querySelectorAll('button')];
  for (const button of buttons) button.disabled = true;
  try {
    await work();
  } catch (error) {
    say('');
    complain(error);
  } finally {
    delete control.dataset.busy;
    for (const button of buttons) button.disabled = false;
  }
}

function button(text, work, className = '') {
  const control = make('button', { type: 'button', textContent: text, className });
  control.addEventListener('click', () => doing(control, work));
  return control;
}

function form(work, ...children) {
  const element = make('form', {}, ...children);
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    void doing(element, () => work(new FormData(element)));
  });
  element.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) element.requestSubmit();
  });
  return element;
}

const send = (text) => make('button', { type: 'submit', textContent: text });
const paragraph = (text, className = 'text') =>
  text ? make('p', { className, textContent: text, dir: 'auto' }) : null;
const money = (amount) => `${amount.toFixed(2)} ${offer.pay.currency}`;
const titled = (title, text) => (text ? [make('h2', { textContent: title }), paragraph(text)] : []);

function box(text, className, title) {
  if (!text) return null;
  return make('section', { className: `card ${className}` }, make('h2', { textContent: title }), paragraph(text));
}

function payment() {
  const { pay, examples, hourlyRate } = offer;
  return paragraph(
    `${money(pay.amount)} for ${examples} ${examples === 1 ? 'example' : 'examples'}, about ${pay.minutes} minutes ` +
      `(${money(hourlyRate)} an hour). You can leave at any time, and are paid for what you have written.`,
  );
}

/** Returns the elements that show an input: a text, a number or an image. */
function shown(name, value) {
  const isImage = typeof value === 'object' && value !== null && 'b64' in value;
  const content = isImage
    ? make('img', { src: `data:${value.mediaType};base64,${value.b64}`, alt: name })
    : make('p', { className: 'text', textContent: String(value), dir: 'auto', id: `given-${name}` });
  return [make('h2', { textContent: name }), content];
}

const inputs = (values) =>
  make('section', { className: 'card' }, ...Object.entries(values).flatMap(([name, value]) => shown(name, value)));

/** Creates the field for the correct answer: labels to choose from, or a text. */
function answerField(name, legend, { labels, answer }) {
  if (labels) {
    const type = answer === 'labels' ? 'checkbox' : 'radio';
    return make(
      'fieldset',
      {},
      make('legend', { textContent: legend }),
      labels.map((value) =>
        make('label', { className: 'choice' }, make('input', { type, name, value, required: type === 'radio' }), value),
      ),
    );
  }
  return textField(name, legend, { type: answer === 'number' ? 'number' : 'text', required: true });
}

function answerOf(data, name, { answer }) {
  if (answer === 'labels') return data.getAll(name);
  return answer === 'number' ? Number(data.get(name)) : data.get(name);
}

function textField(name, label, { type = 'textarea', required = false, value = '', hint } = {}) {
  const control =
    type === 'textarea'
      ? make('textarea', { name, required, value, lang: offer.task.language })
      : make('input', { name, required, value, type, ...(type === 'number' && { step: 'any' }) });
  return make('div', { className: 'field' }, make('label', {}, label, control), paragraph(hint, 'quiet'));
}

/** Creates the field for one of the task's own questions. */
function ownField({ name, label, type, choices, required }) {
  const key = `extra.${name}`;
  if (type === 'choice') {
    const options = ['', ...choices].map((value) => make('option', { value, textContent: value }));
    return make(
      'div',
      { className: 'field' },
      make('label', {}, label, make('select', { name: key, required }, options)),
    );
  }
  if (type === 'boolean') {
    return make('label', { className: 'choice' }, make('input', { type: 'checkbox', name: key }), label);
  }
  return textField(key, label, { type: type === 'number' ? 'number' : 'textarea', required });
}

function ownAnswers(data, fields) {
  const answers = fields.map(({ name, type }) => {
    const given = data.get(`extra.${name}`);
    if (type === 'boolean') return [name, given !== null];
    return [name, type === 'number' && given !== '' ? Number(given) : given];
  });
  return Object.fromEntries(answers.filter(([, given]) => given !== '' && given !== null));
}

// the steps, in order

async function begin() {
  offer = await call('GET', `links/${encodeURIComponent(signed)}`);
  const { task } = offer;
  document.title = task.name;
  const isPreview = query.assignmentId === PREVIEW;
  show(
    task.name,
    paragraph(task.description),
    box(task.contentWarning, 'warning', 'Content warning'),
    ...titled('What to do', task.instructions),
    make('h2', { textContent: 'Pay and time' }),
    payment(),
    offer.hasTest ? paragraph('A short test comes first.') : null,
    isPreview ? paragraph('This is a preview. Accept the HIT to begin.', 'card') : button('Begin', start),
  );
}

async function start() {
  await beginSession();
  await goOn();
}

/** Shows the step that the state of the session requires. */
async function goOn() {
  leaving();
  if (session.state === 'finished') return handOver();
  if (session.state === 'failed') return failed();
  if (session.state === 'ended') return ended();
  const consent = await call('GET', `../tasks/${session.task}/consent`);
  if (!consent.isEnough) return agree(consent);
  if (session.state === 'onboarding') return test();
  return session.examples.done >= session.examples.of ? allDone() : next();
}

function leaving() {
  const isUnderWay = ['working', 'onboarding'].includes(session.state) && session.examples.done < session.examples.of;
  place('leaving').replaceChildren(
    ...(isUnderWay
      ? [
          paragraph(
            `Written: ${session.examples.done} of ${session.examples.of}. Earned: ${money(session.earned)}.`,
            'quiet',
          ),
          button('Leave now and be paid', confirmLeaving, 'second'),
        ]
      : []),
  );
}

function confirmLeaving() {
  show(
    'Leave now?',
    paragraph(`You are paid ${money(session.earned)} for ${session.examples.done} of ${session.examples.of} examples.`),
    button('Leave and be paid', () => finish(true)),
    button('Go on writing', goOn, 'second'),
  );
}

function agree({ consent, licence, contentWarning, minimumAge }) {
  const tick = (text) =>
    make('label', { className: 'choice' }, make('input', { type: 'checkbox', required: true }), text);
  const agreed = async () => {
    await call('POST', `../tasks/${session.task}/consent`, {
      ...(consent && { consentVersion: consent.version }),
      ...(licence && { licenceVersion: licence.version }),
      ...(minimumAge !== null && { age: true }),
      ...(contentWarning !== null && { warned: true }),
    });
    await goOn();
  };
  show(
    'Before you begin',
    form(
      agreed,
      box(contentWarning, 'warning', 'Content warning'),
      contentWarning === null ? null : tick('I have read the warning.'),
      box(consent?.text, '', 'Consent'),
      consent && tick('I agree.'),
      box(licence?.text, '', `Licence: ${licence?.name ?? ''}`),
      licence && tick('I contribute what I write under this licence.'),
      minimumAge === null ? null : tick(`I am at least ${minimumAge} years old.`),
      send('Go on'),
    ),
  );
}

function test(note) {
  const { questions, attemptsLeft, pass } = session.onboarding;
  const answered = async (data) => {
    const answers = questions.map((_question, index) => answerOf(data, `answer-${index}`, offer.task));
    const before = attemptsLeft;
    session = await call('POST', 'sessions/current/onboarding', { answers });
    if (session.state === 'onboarding' && session.onboarding.attemptsLeft < before) {
      test('That was not enough. Try again.');
    } else await goOn();
  };
  show(
    'A short test',
    note ? paragraph(note, 'card') : null,
    paragraph(
      `Answer ${Math.ceil(pass * questions.length)} of ${questions.length} right. Tries left: ${attemptsLeft}.`,
    ),
    form(
      answered,
      questions
        .map((question, index) => [
          inputs(question),
          answerField(`answer-${index}`, `Your answer to question ${index + 1}`, offer.task),
        ])
        .flat(),
      send('Send the test'),
    ),
  );
}

async function next() {
  say('One moment.');
  const given = await callPatiently('POST', `../tasks/${session.task}/annotate/next`, {});
  write(given, crypto.getRandomValues(new Uint32Array(4)).join('-'));
}

function write(given, key) {
  const { context, goal, rules, round } = given;
  const begun = performance.now();
  const sent = async (data) => {
    say('The models answer.');
    const written = await callPatiently('POST', `../tasks/${session.task}/rounds/${round}/annotations`, {
      key,
      context: context.id,
      input: Object.fromEntries(rules.written.map((name) => [name, data.get(`input.${name}`)])),
      label: answerOf(data, 'label', offer.task),
      ...(goal !== null && { goal }),
      ...(rules.fields.length > 0 && { extra: ownAnswers(data, rules.fields) }),
      seconds: Math.min(86_400, (performance.now() - begun) / 1000),
    });
    session = await call('GET', 'sessions/current');
    leaving();
    answered(written, rules);
  };
  const last = rules.written.at(-1);
  show(
    `Example ${session.examples.done + 1} of ${session.examples.of}`,
    progress(),
    Object.keys(context.content).length > 0 ? inputs(context.content) : null,
    goal === null ? null : paragraph(`Write for this answer: ${goal}`, 'card'),
    form(
      sent,
      rules.written.map((name) =>
        textField(`input.${name}`, `Write: ${name}`, {
          required: true,
          value: name === last ? (context.prompt ?? '') : '',
          hint: name === last && context.prompt ? 'Change this text.' : undefined,
        }),
      ),
      answerField(
        'label',
        rules.span ? `The right answer, as it stands in ${rules.span}` : 'The right answer',
        offer.task,
      ),
      rules.fields.map(ownField),
      send('Send'),
      button('Another context', () => pass(context), 'second'),
      flagging(context),
    ),
    make('details', {}, make('summary', { textContent: 'What to do' }), paragraph(rules.instructions)),
  );
}

const progress = () =>
  make('progress', {
    max: session.examples.of,
    value: session.examples.done,
    data: { 'aria-label': 'Examples written' },
  });

async function pass({ id }) {
  await call('POST', `../contexts/${id}/skip`);
  await next();
}

/** Creates the form that flags a context. It is not part of what is sent with the example. */
function flagging({ id }) {
  const reason = make('input', { type: 'text', maxLength: 1000 });
  const flag = async () => {
    if (reason.value.trim() === '') return reason.focus();
    await call('POST', `../contexts/${id}/flag`, { reason: reason.value.trim() });
    await next();
  };
  return make(
    'details',
    {},
    make('summary', { textContent: 'Something is wrong with this context' }),
    make('div', { className: 'field' }, make('label', {}, 'What is wrong?', reason)),
    button('Report it', flag, 'second'),
  );
}

const WHY = {
  example: 'Why is your answer right?',
  model: 'Why was the model wrong, or might have been?',
};

/**
 * Shows the answers of the models. Asks for explanations and, if the task asks its authors, whether
 * the model is wrong.
 */
function answered(annotation, rules) {
  const { id, answers, fooled, findings } = annotation;
  const isAsked = rules.fooled === 'ask' && answers.length > 0;
  const explained = async (data) => {
    const explanations = Object.fromEntries(
      rules.explanations.map((what) => [what, data.get(what)?.trim()]).filter(([, text]) => text),
    );
    const change = {
      ...(Object.keys(explanations).length > 0 && { explanations }),
      ...(isAsked && { fooled: data.get('fooled') === 'yes' }),
    };
    if (Object.keys(change).length > 0) await call('PATCH', `../annotations/${id}`, change);
    await goOn();
  };
  const retracted = async () => {
    await call('POST', `../annotations/${id}/retract`);
    session = await call('GET', 'sessions/current');
    await goOn();
  };
  show(
    verdict(fooled, answers),
    answers.map((answer) => paragraph(answerText(answer), 'card text')),
    findings.map(({ message }) => paragraph(message, 'quiet')),
    form(
      explained,
      isAsked
        ? make(
            'fieldset',
            {},
            make('legend', { textContent: 'Is the model wrong?' }),
            ['yes', 'no'].map((value) =>
              make(
                'label',
                { className: 'choice' },
                make('input', { type: 'radio', name: 'fooled', value, required: true }),
                value,
              ),
            ),
          )
        : null,
      rules.explanations.map((what) => textField(what, WHY[what])),
      send(session.examples.done >= session.examples.of ? 'Go on to the end' : 'Next example'),
      button('Take it back', retracted, 'second'),
    ),
  );
}

function verdict(fooled, answers) {
  if (answers.length === 0) return 'Sent';
  if (fooled === null) return 'The model has answered';
  return fooled ? 'The model is wrong' : 'The model is right';
}

function answerText({ answer, probabilities }) {
  const share = probabilities?.[answer];
  return `The model answered: ${answer}${share === undefined ? '' : ` (${Math.round(100 * share)}%)`}`;
}

function allDone() {
  show(
    'All examples are written',
    progress(),
    paragraph('Thank you.'),
    button('Finish and be paid', () => finish(false)),
  );
}

function failed() {
  show(
    'The test was not passed',
    paragraph('You can not write in this job. Thank you for your time; please return it on the platform.'),
  );
}

function ended() {
  show(
    'You have begun another job',
    paragraph(`What you wrote here until then is paid: ${money(session.earned)}.`),
    button('Be paid', () => finish(true)),
  );
}

async function finish(early) {
  session = await call('POST', 'sessions/current/finish', { early });
  leaving();
  handOver();
}

/** Shows the control that hands the finished work to the platform. */
function handOver() {
  const { paid, code, submission } = session.finished;
  const { method, url, fields = {} } = submission;
  const handing =
    method === 'POST'
      ? make(
          'form',
          { method: 'post', action: url },
          Object.entries(fields).map(([name, value]) => make('input', { type: 'hidden', name, value })),
          send('Hand in'),
        )
      : make('a', { className: 'button', href: url, target: '_top', textContent: 'Back to Prolific' });
  show('Finished', paragraph(`You are paid ${money(paid)}. Your code: ${code}`), handing);
}

begin().catch((error) => {
  show('This job can not be opened');
  complain(error);
});
