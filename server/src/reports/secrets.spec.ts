import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { taskIsOver, tasks } from '@mainstay/contract/core/tasks'
import { identityProviders } from '@mainstay/contract/identity/identity-providers'
import { notifications } from '@mainstay/contract/settings/notifications'
import { reports } from '@mainstay/contract/settings/reports'
import { expect, it, vi } from 'vitest'
import { readConfig } from '../config'
import { createLog } from '../log'
import { secretsOf, shownConfig } from '../shown-config'
import { PASSWORD } from '../testing/personas'
import { testDatabase } from '../testing/postgres/postgres'
import { makeRsaCertificate } from '../testing/certificates/rsa-certificate'
import { startServer } from '../testing/start-server'
import { createRecentLog } from './recent-log'
import { createScrubber, scrubbed } from './scrub'

const as = 'superuser'
const unhurried = { timeout: 20_000, interval: 50 }

it('an archive contains no secrets from any source', async () => {
  const database = await testDatabase()
  const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-report-'))
  const url = new URL(database.url)
  url.password = 'database"pass/42'
  const { key } = makeRsaCertificate({ names: ['console.example'], days: 20 })
  const secrets: Record<string, string> = {
    'password of everybody': PASSWORD,
    'metrics token': 'metrics-token-0123456789',
    'sealing key': 'a-sealing-key-of-the-installation-0001',
    'password of the database': 'database"pass/42',
    'password of the mail server': 'smtp "secret" ü/+ 42',
    'token of the destination': 'destination-token-77',
    'client secret of an identity provider': 'client secret of the company 55',
    'private key': key.split('\n')[3]!,
    // not known to this server: recognizable only by their format
    'token of a session': randomBytes(32).toString('base64url'),
    'hash of a password': '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$aGFzaGhhc2hoYXNo',
    'password in an address': 'inAddress77',
    'password in a text': 'inText88',
    'token in a header': 'inHeader99-0123',
    'token of a cloud': `gAAAAA${'b'.repeat(60)}`,
    'token of a provider': `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${'c'.repeat(30)}`,
  }
  const recentLog = createRecentLog()
  const log = createLog('info', { write: () => undefined }, recentLog)
  const server = await startServer({
    ...{ log, recentLog, keep: { folder, databaseUrl: url.href } },
    environment: { MAINSTAY_METRICS_TOKEN: secrets['metrics token']!, MAINSTAY_SEALING_KEY: secrets['sealing key']! },
  })
  try {
    secrets['own token'] = await server.signIn(as)
    await server.call(notifications.save, {
      as,
      body: {
        notification_settings: { from: 'a@b.cd' },
        smtp_settings: {
          ...{ smtp_server: '127.0.0.1', port: 9, account_name: 'cloud' },
          password: secrets['password of the mail server']!,
        },
      },
    })
    await server.call(identityProviders.create, {
      as,
      params: { domain_id: 'default' },
      body: {
        ...{ name: 'The company', issuer: 'https://login.example', client_id: 'console' },
        client_secret: secrets['client secret of an identity provider']!,
      },
    })
    const destination = { url: 'https://127.0.0.1:9/reports', token: secrets['token of the destination']! }
    await server.call(reports.saveSettings, { as, body: { problem: destination } })
    // values without a recognizable format are found only by their name or context
    const shapeless = ['inAddress77', 'inText88', 'inHeader99-0123', secrets['private key']!]
    const said = [
      ...Object.values(secrets),
      `postgres://u:${secrets['password in an address']}@db:5432/x`,
      `--password=${secrets['password in a text']} {"secret":"${secrets['password in a text']}"}`,
      `authorization: Bearer ${secrets['token in a header']}`,
      ...['password in an address', 'password in a text', 'token in a header'].map((name) => {
        const text = secrets[name]!
        return name === 'password in an address' ? `amqp://u:${text}@h/` : `token=${text}`
      }),
      key,
    ].filter((text) => !shapeless.includes(text))
    for (const text of said) {
      log.warn(
        { err: new Error(`it said ${text}`, { cause: new Error(text) }), deep: { list: [text] } },
        `heard ${text}`,
      )
      log.info({ text: JSON.stringify({ nested: { text } }) }, 'nested')
    }
    for (const name of ['password', 'token', 'secret', 'private_key', 'authorization'])
      log.warn({ body: { [name]: 'namedSecret1' } }, 'named')
    const first = await server.call(reports.create, { as, body: { contact_email: 'a@b.cd' } })
    const over = (id: string) =>
      vi.waitFor(async () => {
        const task = await server.call(tasks.view, { as, params: { id } })
        expect(taskIsOver(task.state)).toBe(true)
        expect(task.state).toBe('success')
      }, unhurried)
    await over(first.task_id)
    // a task with secrets in its error, arguments and result
    await server.sql.query(
      `update resource set body = body || jsonb_build_object('error', $2::text,
         'kwargs', jsonb_build_object('typed', 'words of a form ' || $2::text),
         'result', jsonb_build_object('answer', 'words of an answer ' || $2::text)) where kind = 'task' and id = $1`,
      [first.task_id, said.join(' and ')],
    )
    const typed = said.join('\n').slice(0, 1990)
    const second = await server.call(reports.create, {
      as,
      body: { contact_email: 'a@b.cd', problem_description: typed, verbosity_level: 'extended', include_days: 30 },
    })
    await over(second.task_id)
    const { data } = await server.call(reports.list, { as })
    const { id } = data.find(({ task_id }) => task_id === second.task_id)!
    const response = await server.fetch(reports.download, { as, params: { id } })
    const { stdout, status } = spawnSync('tar', ['-xzO'], {
      input: Buffer.from(await response.arrayBuffer()),
      maxBuffer: 64 * 1024 * 1024,
    })
    expect(status).toBe(0)
    const text = stdout.toString('utf8')
    // the report contains the messages, but not the secrets
    for (const told of ['it said', 'heard', 'nested', '"error": "', first.task_id]) expect(text).toContain(told)
    // task arguments and results are left out, because they may contain secrets
    for (const untold of ['words of a form', 'words of an answer']) expect(text).not.toContain(untold)
    const forms = (secret: string) => [
      secret,
      JSON.stringify(secret).slice(1, -1),
      JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    ]
    const found = Object.entries({ ...secrets, named: 'namedSecret1' }).filter(([, secret]) =>
      forms(secret).some((form) => text.includes(form)),
    )
    expect(found.map(([name]) => name)).toEqual([])
  } finally {
    await server.close()
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  }
})

it('shows the configuration without secrets, however they are written in a URL', () => {
  const shown = (url: string) => JSON.stringify(shownConfig(readConfig({ DATABASE_URL: url })))
  for (const url of [
    'postgres://u:hunter22@db/x',
    'postgres://u:hunt@er22@db/x',
    'postgres://u@db/x?password=hunter22&application_name=a',
    'postgres://u:hunt%40er22@db/x',
  ]) {
    expect(shown(url)).toContain('@db/x')
    expect(shown(url), url).not.toMatch(/hunt|er22/)
  }
  const config = readConfig({
    DATABASE_URL: 'postgres://u:hunt%40er22@db/x?sslpassword=second22',
    OS_AUTH_URL: 'https://cloud.example:5000/v3',
    OS_PASSWORD: 'third22',
    OS_USERNAME: 'operator',
    MAINSTAY_ENGINE: 'openstack',
  })
  expect(secretsOf(config)).toEqual(['hunt%40er22', 'hunt@er22', 'second22', 'third22'])
})

it('keeps ordinary text: short secrets, flags, numbers, and URLs without a password', () => {
  const scrub = createScrubber(['db', 'longer-secret'])
  for (const text of [
    'the db is away',
    '"has_token": true',
    'password: null',
    'https://cloud.example:5000/v3/users?name=a@b',
    'token refused (401)',
  ])
    expect(scrub(text)).toBe(text)
  expect(scrub('said longer-secret twice: longer-secret')).toBe('said *** twice: ***')
})

it('finds a known secret in text, JSON, nested JSON, URLs and Base64', () => {
  const secret = 'pä"ss\\wort & 1'
  const scrub = createScrubber([secret])
  const json = JSON.stringify({ a: secret })
  for (const text of [
    `it was ${secret}.`,
    json,
    JSON.stringify({ b: json }),
    `https://cloud.example/?a=${encodeURIComponent(secret)}`,
    `it was ${Buffer.from(secret).toString('base64')}`,
  ]) {
    const clean = scrub(text)
    expect(clean, text).toContain('***')
    expect(clean, text).not.toMatch(/wort|cMOk/)
  }
})

it('hides anything that looks like a secret', () => {
  const scrub = createScrubber([])
  const word = 'Zm9vYmFy'
  for (const text of [
    `-----BEGIN PRIVATE KEY-----\n${word}\n-----END PRIVATE KEY-----`,
    `-----BEGIN RSA PRIVATE KEY-----\n${word}`,
    `postgres://u:${word}@db/x`,
    `password=${word}`,
    `"client_secret": "${word}"`,
    `{\\"api_key\\":\\"${word}\\"}`,
    `asked with Bearer ${word}${word}`,
    `asked with basic ${word}${word}==`,
    `$argon2id$v=19$m=1$${word}`,
    `it was ${word.repeat(6).slice(0, 43)}, said somebody`,
    `gAAAAA${word.repeat(6)}`,
    `eyJ${word}${word}.${word}${word}.${word}`,
  ]) {
    expect(scrub(text), text).toContain('***')
    expect(scrub(text), text).not.toContain(word)
  }
})

it('hides, at any depth, strings whose name indicates a secret, but keeps flags and numbers', () => {
  const told = { username: 'ada', has_token: true, tokens: 3, password: null }
  const hidden = ['password', 'clientSecret', 'x-auth-token', 'api_key', 'credential', 'set-cookie']
  const named = (text: string) => Object.fromEntries(hidden.map((name) => [name, text]))
  expect(scrubbed({ list: [{ ...told, deep: named('word') }] }, createScrubber([]))).toEqual({
    list: [{ ...told, deep: named('***') }],
  })
})

it('keeps the last log lines, up to a limited number and length', () => {
  const log = createRecentLog({ lines: 3, characters: 100 })
  for (const line of ['a', 'b', 'c', 'd']) log.write(line)
  expect(log.lines()).toEqual(['b', 'c', 'd'])
  log.write('x'.repeat(99))
  expect(log.lines()).toEqual(['d', 'x'.repeat(99)])
  log.write('y'.repeat(101))
  expect(log.lines()).toHaveLength(2)
})
