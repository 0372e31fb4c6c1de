import { spawnSync } from 'node:child_process'
import { taskIsOver, tasks, type Task } from '@mainstay/contract/core/tasks'
import { Report, reports, ReportSettings } from '@mainstay/contract/settings/reports'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLog } from '../../log'
import { createRecentLog } from '../../reports/recent-log'
import type { PersonaName } from '../../testing/personas'
import { startReportDestination, type ReportDestination } from '../../testing/outside/report-destination'
import { startServer, type TestServer } from '../../testing/start-server'

const as = 'superuser'
const tenant = 'project-member'
const unhurried = { timeout: 20_000, interval: 20 }
const planted = {
  adminPassword: 'correct horse 12',
  metricsToken: 'metrics-token-0123456789',
  sealingKey: 'a-sealing-key-of-the-installation-0001',
  smtpPassword: 'smtp "secret" ü/+ 42',
  reportToken: 'destination-token-77',
  cloudPassword: 'not one of ours 9',
}
let server: TestServer
let destination: ReportDestination
const recentLog = createRecentLog()
const log = createLog('info', { write: () => undefined }, recentLog)
beforeAll(async () => {
  destination = await startReportDestination()
  server = await startServer({
    ...{ log, recentLog },
    environment: { MAINSTAY_METRICS_TOKEN: planted.metricsToken, MAINSTAY_SEALING_KEY: planted.sealingKey },
  })
})
afterAll(async () => {
  destination.answerNow()
  await server.close()
  await destination.close()
})
beforeEach(async () => {
  destination.answerNow()
  destination.taken.length = 0
  await vi.waitFor(async () => expect(await server.tools.problemReports.isRunning()).toBe(false), unhurried)
  await server.sql.query('delete from setting')
  await server.sql.query('delete from problem_report')
})

const draft = { contact_email: 'ada@example.com', problem_description: 'The volume “db” cannot be attached' }
const make = async (body: object = draft, who: PersonaName = as) =>
  (await server.call(reports.create, { as: who, body: body as typeof draft })).task_id
async function done(taskId: string, who: PersonaName = as): Promise<Task> {
  const look = () => server.call(tasks.view, { as: who, params: { id: taskId } })
  return vi.waitFor(async () => {
    const task = await look()
    expect(taskIsOver(task.state), task.state).toBe(true)
    return task
  }, unhurried)
}
const list = async () => (await server.call(reports.list, { as })).data
const save = (problem: object) => server.call(reports.saveSettings, { as, body: { problem } })
const sendThere = (more: object = {}) =>
  save({ sending_enabled: true, url: destination.url, ca: destination.ca, token: planted.reportToken, ...more })
const settingsOf = async (who: PersonaName) => (await server.call(reports.settings, { as: who })).problem
const download = async (id: string, who: PersonaName = as) =>
  Buffer.from(await (await server.fetch(reports.download, { as: who, params: { id } })).arrayBuffer())
/** As people unpack it. */
const tar = (words: string, bytes: Buffer): string => {
  const { status, stdout } = spawnSync('tar', [words], { input: bytes, maxBuffer: 64 * 1024 * 1024 })
  expect(status).toBe(0)
  return stdout.toString('utf8')
}
const made = async (body: object = draft, who: PersonaName = as) => {
  const task = await done(await make(body, who), who)
  expect(task).toMatchObject({ state: 'success', error: null })
  const [newest] = await list()
  return { task, report: newest!, bytes: await download(newest!.id) }
}

describe('a problem report', () => {
  it('is made of contact_email and problem_description by a task, and its archive holds them [EN-017]', async () => {
    const { task, report, bytes } = await made()
    expect(Report.parse(report)).toEqual(report)
    expect(task).toMatchObject({ name: 'report.create', progress: 100, result: { report_id: report.id } })
    expect(report).toMatchObject({ ...draft, size: bytes.length, task_id: task.id, sent_at: null, send_error: null })
    expect(report.username).toBe(server.cast.people[as].user.name)
    const names = tar('-tz', bytes).trim().split('\n')
    expect(new Set(names.map((name) => name.split('/')[0]))).toEqual(
      new Set([`problem-report-${report.created_at.slice(0, 10)}-${report.id.slice(0, 8)}`]),
    )
    expect(names.map((name) => name.split('/')[1]!).toSorted((one, other) => one.localeCompare(other))).toEqual([
      ...['about.json', 'configuration.json', 'counts.json', 'description.txt', 'engines.json', 'log.jsonl'],
      ...['parts.json', 'servers.json', 'tasks.json'],
    ])
    const text = tar('-xzO', bytes)
    for (const told of [draft.contact_email, draft.problem_description, '"release": "test release"', '"kind": "user"'])
      expect(text).toContain(told)
  })

  it('is sent to its destination with contact_email and problem_description [CA-031]', async () => {
    await sendThere()
    const { task, report, bytes } = await made()
    expect(task.result).toMatchObject({ is_sent: true })
    expect(report.sent_at).toEqual(expect.any(String))
    expect(destination.taken).toHaveLength(1)
    const [{ headers, bytes: sent }] = destination.taken as [(typeof destination.taken)[0]]
    expect(sent.equals(bytes)).toBe(true)
    for (const told of Object.values(draft)) expect(tar('-xzO', sent)).toContain(told)
    expect(headers).toMatchObject({
      ...{ 'content-type': 'application/gzip', 'idempotency-key': report.id },
      authorization: `Bearer ${planted.reportToken}`,
    })
    // as command-line clients ask for it, and at the address with a slash
    const token = await server.signIn(as)
    const answer = await fetch(`${server.url}${reports.create.path}/`, {
      method: 'POST',
      headers: { 'x-auth-token': token, 'content-type': 'application/json' },
      body: JSON.stringify({ ...draft, send: false, verbosity_level: 'minimal', include_days: 3, node_ids: [] }),
    })
    expect(answer.status).toBe(202)
    await done(((await answer.json()) as { task_id: string }).task_id)
    expect(destination.taken).toHaveLength(1)
  })

  it('needs contact_email [VA-007]', async () => {
    const { contact_email: _, ...without } = draft
    for (const body of [without, { ...without, contact_email: '' }, { ...without, contact_email: null }])
      await expect(make(body)).rejects.toMatchObject({
        code: 'validation',
        fields: { contact_email: [expect.any(String)] },
      })
    expect(await list()).toEqual([])
  })

  it('takes only an e-mail address as contact_email [VA-008]', async () => {
    for (const contact_email of ['ada', 'ada@', '@example.com', 'a b@example.com', 'ada@example.com, b@example.com'])
      await expect(make({ ...draft, contact_email })).rejects.toMatchObject({
        code: 'validation',
        fields: { contact_email: [expect.any(String)] },
      })
    expect(await list()).toEqual([])
  })

  it('is refused where a field is too long, unknown, or asks for what there is not', async () => {
    for (const [field, body] of [
      ['problem_description', { problem_description: 'x'.repeat(2001) }],
      ['include_days', { include_days: 31 }],
      ['verbosity_level', { verbosity_level: 'all' }],
      ['node_ids', { node_ids: ['n1'] }],
    ] as const)
      await expect(make({ ...draft, ...body })).rejects.toMatchObject({
        code: 'validation',
        fields: { [field]: [expect.any(String)] },
      })
    await expect(make({ ...draft, send: true })).rejects.toMatchObject({
      code: 'unsupported',
      fields: { send: [expect.any(String)] },
    })
  })

  it('is disabled while a report task runs, for everybody, with words [PE-020]', async () => {
    destination.answers = 'never'
    await sendThere()
    expect((await settingsOf(tenant)).running).toBe(false)
    const first = await make()
    expect((await settingsOf(tenant)).running).toBe(true)
    for (const who of [as, tenant] as const)
      await expect(make(draft, who)).rejects.toMatchObject({
        code: 'report_running',
        message: expect.stringContaining('is being made'),
      })
    await vi.waitFor(() => expect(destination.taken).toHaveLength(1), unhurried)
    destination.answerNow()
    expect((await done(first)).state).toBe('success')
    expect((await settingsOf(tenant)).running).toBe(false)
    expect((await done(await make())).state).toBe('success')
  })

  it('of two that are asked for at once one is made', async () => {
    destination.answers = 'never'
    await sendThere()
    const both = await Promise.allSettled([make(), make(draft, tenant)])
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'report_running' } })
    destination.answerNow()
  })

  it('tells less or more, as it is asked to', async () => {
    log.info({ marker: 'a quiet line' }, 'said')
    log.warn({ marker: 'a loud line' }, 'said')
    const textOf = async (verbosity_level: string) => tar('-xzO', (await made({ ...draft, verbosity_level })).bytes)
    const minimal = await textOf('minimal')
    expect(minimal).not.toContain('a loud line')
    const basic = await textOf('basic')
    expect([basic.includes('a loud line'), basic.includes('a quiet line')]).toEqual([true, false])
    expect(basic).toContain('"name": "report.create"')
    expect(await textOf('extended')).toContain('a quiet line')
  })
})

describe('who reports and who reads', () => {
  it('everybody who works here reports, who only looks and programs do not', async () => {
    for (const who of ['compute-operator', 'domain-admin', 'project-admin', tenant] as const) {
      const task = await done(await make(draft, who))
      expect(task.state, who).toBe('success')
    }
    for (const who of ['viewer', 'service-account'] as const)
      await expect(make(draft, who)).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('reports are read, taken out and deleted by system administrators alone', async () => {
    const { report } = await made(draft, as)
    for (const who of ['viewer', 'compute-operator', 'domain-admin', tenant] as const) {
      const params = { id: report.id }
      await expect(server.call(reports.list, { as: who })).rejects.toMatchObject({ code: 'forbidden' })
      expect((await server.fetch(reports.download, { as: who, params })).status, who).toBe(403)
      await expect(server.call(reports.delete, { as: who, params })).rejects.toMatchObject({ code: 'forbidden' })
    }
    const response = await server.fetch(reports.download, { as, params: { id: report.id } })
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="problem-report-[\w-]+\.tar\.gz"/,
    )
    expect(response.headers.get('content-length')).toBe(String(report.size))
    for (const id of ['..%2f..%2fetc%2fpasswd', '../secrets', 'x'.repeat(65), 'nothing'])
      expect([400, 404]).toContain((await server.fetch(reports.download, { as, params: { id } })).status)
    await server.call(reports.delete, { as, params: { id: report.id } })
    expect(await list()).toEqual([])
    await expect(server.call(reports.delete, { as, params: { id: report.id } })).rejects.toMatchObject({
      code: 'not_found',
    })
    const acts = await server.sql.query<{ action: string }>(`select action from audit where action like 'report.%'`)
    expect(acts.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['report.create', 'report.download', 'report.delete']),
    )
  })

  it('the newest ten of operators and of tenants are kept for a month', async () => {
    const plant = (count: number, ofOperator: boolean, days: number) =>
      server.sql.query(
        `insert into problem_report (id, task_id, user_id, username, domain_id, of_operator, contact_email, problem_description, archive, created_at)
           select $2 || n, 't', 'u', 'u', 'd', $3, 'a@b.cd', '', 'x', now() - make_interval(days => $4, mins => n)
             from generate_series(1, $1) n`,
        [count, `${ofOperator}-${days}-`, ofOperator, days],
      )
    await plant(15, true, 1)
    await plant(3, false, 1)
    await plant(2, false, 31)
    await made(draft, tenant)
    const kept = (await list()).map(({ id }) => id)
    expect(kept.filter((id) => id.startsWith('true-1-'))).toHaveLength(10)
    expect(kept).not.toContain('true-1-11')
    expect(kept.filter((id) => id.startsWith('false-1-'))).toHaveLength(3)
    expect(kept.filter((id) => id.startsWith('false-31-'))).toEqual([])
    expect(kept).toHaveLength(14)
  })
})

describe('the settings of reports', () => {
  it('answer problem.sending_enabled, off until it is switched on [EN-075] [CA-030]', async () => {
    const before = await server.call(reports.settings, { as })
    expect(ReportSettings.parse(before)).toEqual(before)
    expect(before.problem.sending_enabled).toBe(false)
    await sendThere()
    const answer = await fetch(`${server.url}${reports.settings.path}/`, {
      headers: { 'x-auth-token': await server.signIn(tenant) },
    })
    expect(await answer.json()).toMatchObject({ problem: { sending_enabled: true } })
    await save({ sending_enabled: false })
    expect((await settingsOf(tenant)).sending_enabled).toBe(false)
  })

  it('tell where reports go to operators alone, and their token to nobody', async () => {
    const shown = { sending_enabled: true, running: false, url: destination.url, has_token: true, has_ca: true }
    expect((await sendThere()).problem).toEqual(shown)
    expect(await settingsOf('viewer')).toEqual(shown)
    const hidden = { sending_enabled: true, running: false, url: null, has_token: false, has_ca: false }
    for (const who of ['domain-admin', tenant] as const) expect(await settingsOf(who)).toEqual(hidden)
    const kept = await server.sql.query("select value, encode(sealed, 'escape') as sealed from setting")
    const lines = await server.sql.query('select * from audit')
    expect(JSON.stringify([kept, lines])).not.toContain(planted.reportToken)
    for (const who of ['viewer', 'compute-operator', 'domain-admin', tenant] as const)
      await expect(server.call(reports.saveSettings, { as: who, body: { problem: {} } })).rejects.toMatchObject({
        code: 'forbidden',
      })
  })

  it('are refused by the name of the field that is wrong', async () => {
    const refused = (problem: object, field: string) =>
      expect(save(problem), JSON.stringify(problem)).rejects.toMatchObject({
        code: 'validation',
        fields: { [`problem.${field}`]: [expect.any(String)] },
      })
    await refused({ sending_enabled: true }, 'url')
    for (const url of ['http://127.0.0.1/', 'https://u:p@127.0.0.1/', 'ftp://x', 'x', 'https://a/#b'])
      await refused({ url }, 'url')
    await refused({ url: destination.url, ca: 'no certificate' }, 'ca')
    await refused({ url: destination.url, token: 'a b' }, 'token')
    await sendThere()
    await refused({ url: 'https://127.0.0.1:1/' }, 'token')
    await refused({ ca: '' }, 'token')
    expect((await save({ url: 'https://127.0.0.1:1/', token: '' })).problem.has_token).toBe(false)
  })
})

describe('a report that cannot be sent', () => {
  const fails = async (code: string, words: string) => {
    const task = await done(await make())
    expect(task).toMatchObject({ state: 'failed', err_code: code, error: expect.stringContaining(words) })
    // what was made stays, to be taken out by hand
    const [report] = await list()
    expect(report).toMatchObject({ sent_at: null, send_error: task.error, size: expect.any(Number) })
    expect(tar('-xzO', await download(report!.id))).toContain(draft.problem_description)
    expect(await server.tools.problemReports.isRunning()).toBe(false)
  }

  it('is kept where its destination refuses it, or finds it too big', async () => {
    await sendThere()
    for (const [status, words] of [
      [500, '(500)'],
      [403, 'token (403)'],
      [413, 'too big (413)'],
      [302, 'not followed (302)'],
    ] as const) {
      destination.answers = status
      await fails('report_refused', words)
    }
    destination.answers = 'early'
    await fails('report_refused', 'too big (413)')
  })

  it('is kept where nobody listens', async () => {
    await sendThere({ url: 'https://127.0.0.1:9/' })
    await fails('report_unreachable', 'cannot be reached')
  })

  it('is kept where the certificate is not to be trusted, or of another host', async () => {
    await sendThere({ ca: '' })
    await fails('report_untrusted', 'certificate')
    expect(destination.taken).toEqual([])
    const other = await startReportDestination(['elsewhere.example'])
    try {
      await sendThere({ url: other.url, ca: other.ca })
      await fails('report_untrusted', 'certificate')
      expect(other.taken).toEqual([])
    } finally {
      await other.close()
    }
  })
})
