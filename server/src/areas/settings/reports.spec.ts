import { randomBytes } from 'node:crypto'
import { Report, reports } from '@mainstay/contract/settings/reports'
import { describe, expect, it, vi } from 'vitest'
import {
  as,
  destination,
  done,
  draft,
  list,
  log,
  made,
  make,
  plant,
  recentLog,
  planted,
  sendThere,
  server,
  settingsOf,
  tar,
  tenant,
  deliveryTimeout,
  withReports,
} from '../../testing/report-fixture'

withReports()

describe('a problem report', () => {
  it('is created in a task from contact_email and problem_description [EN-017]', async () => {
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

  it('is sent to the destination with contact_email and problem_description [CA-031]', async () => {
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
    // command-line clients use a trailing slash
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

  it('requires contact_email [VA-007]', async () => {
    const { contact_email: _, ...without } = draft
    for (const body of [without, { ...without, contact_email: '' }, { ...without, contact_email: null }])
      await expect(make(body)).rejects.toMatchObject({
        code: 'validation',
        fields: { contact_email: [expect.any(String)] },
      })
    expect(await list()).toEqual([])
  })

  it('requires contact_email to be an email address [VA-008]', async () => {
    for (const contact_email of ['ada', 'ada@', '@example.com', 'a b@example.com', 'ada@example.com, b@example.com'])
      await expect(make({ ...draft, contact_email })).rejects.toMatchObject({
        code: 'validation',
        fields: { contact_email: [expect.any(String)] },
      })
    expect(await list()).toEqual([])
  })

  it('is refused if a field is too long, invalid or unknown', async () => {
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

  it('is refused for all users while another report is being created [PE-020]', async () => {
    destination.answers = 'never'
    await sendThere()
    expect((await settingsOf(tenant)).running).toBe(false)
    const first = await make()
    expect((await settingsOf(tenant)).running).toBe(true)
    for (const who of [as, tenant] as const)
      await expect(make(draft, who)).rejects.toMatchObject({
        code: 'report_running',
        message: expect.stringContaining('is being created'),
      })
    await vi.waitFor(() => expect(destination.taken).toHaveLength(1), deliveryTimeout)
    destination.answerNow()
    expect((await done(first)).state).toBe('success')
    expect((await settingsOf(tenant)).running).toBe(false)
    expect((await done(await make())).state).toBe('success')
  })

  it('is created only once for two concurrent requests', async () => {
    destination.answers = 'never'
    await sendThere()
    const both = await Promise.allSettled([make(), make(draft, tenant)])
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'report_running' } })
    destination.answerNow()
  })

  it('is discarded with an error if it is larger than eight megabytes', { tags: 'all' }, async () => {
    const filler = { kind: 'task', id: 'a-large-task' }
    // random bytes, because they cannot be compressed
    await server.sql.query(
      `insert into resource (kind, id, source, revision, updated_at, body)
         values ($1, $2, 'server', 0, now(), jsonb_build_object('error', $3::text))`,
      [filler.kind, filler.id, randomBytes(9 * 1024 * 1024).toString('base64')],
    )
    try {
      const task = await done(await make())
      expect(task).toMatchObject({
        state: 'failed',
        err_code: 'too_large',
        error: expect.stringContaining('fewer days'),
      })
      expect(await list()).toEqual([])
    } finally {
      await server.sql.query('delete from resource where kind = $1 and id = $2', [filler.kind, filler.id])
    }
  })

  it('contains more or less information, depending on the verbosity', async () => {
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

  it('contains tasks and log lines from the requested number of days', async () => {
    const days = (count: number) => Date.now() - count * 24 * 3600_000
    recentLog.write(JSON.stringify({ level: 40, time: days(3), marker: 'an old line' }))
    await server.sql.query(
      `insert into resource (kind, id, source, revision, updated_at, body)
         values ('task', 'an-old-task', 'server', 0, $1, '{"error": "an old fault"}')`,
      [new Date(days(3))],
    )
    try {
      const old = ['an old line', 'an old fault']
      const told = async (include_days: number) => {
        const text = tar('-xzO', (await made({ ...draft, include_days })).bytes)
        return old.filter((words) => text.includes(words))
      }
      expect(await told(2)).toEqual([])
      expect(await told(4)).toEqual(old)
    } finally {
      await server.sql.query(`delete from resource where kind = 'task' and id = 'an-old-task'`)
    }
  })
})

describe('access to reports', () => {
  it('lets all users except viewers and service accounts create reports', async () => {
    for (const who of ['compute-operator', 'domain-admin', 'project-admin', tenant] as const) {
      const task = await done(await make(draft, who))
      expect(task.state, who).toBe('success')
    }
    for (const who of ['viewer', 'service-account'] as const)
      await expect(make(draft, who)).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('limits how many reports users who are not operators can create', async () => {
    destination.answers = 'never'
    await sendThere()
    const who = 'other-member'
    await make(draft, who)
    const codes: unknown[] = []
    for (let count = 1; count < 12; count += 1)
      codes.push(await make(draft, who).catch(({ code }: { code: string }) => code))
    expect(codes).toEqual([...Array(9).fill('report_running'), 'too_many_requests', 'too_many_requests'])
    await expect(make()).rejects.toMatchObject({ code: 'report_running' })
    destination.answerNow()
  })

  it('refuses to delete a report in progress, and deletes an abandoned one after a day', async () => {
    await plant('lost', 25)
    await plant('late', 23)
    await server.tools.problemReports.prune()
    expect((await list()).map(({ id }) => id)).toEqual(['late'])
    expect((await server.fetch(reports.download, { as, params: { id: 'late' } })).status).toBe(404)
    destination.answers = 'never'
    await sendThere()
    const task_id = await make()
    const remove = (id: string) => server.call(reports.delete, { as, params: { id } })
    await expect(remove('late')).rejects.toMatchObject({ code: 'report_running' })
    destination.answerNow()
    await done(task_id)
    await remove('late')
    expect((await list()).map((report) => report.task_id)).toEqual([task_id])
  })

  it('lets only system administrators list, download and delete reports', async () => {
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

  it('keeps the ten newest reports from operators and the ten newest from tenants for a month', async () => {
    const plantMany = (count: number, ofOperator: boolean, days: number) =>
      server.sql.query(
        `insert into problem_report (id, task_id, user_id, username, domain_id, of_operator, contact_email, problem_description, archive, created_at)
           select $2 || n, 't', 'u', 'u', 'd', $3, 'a@b.cd', '', 'x', now() - make_interval(days => $4, mins => n)
             from generate_series(1, $1) n`,
        [count, `${ofOperator}-${days}-`, ofOperator, days],
      )
    await plantMany(15, true, 1)
    await plantMany(3, false, 1)
    await plantMany(2, false, 31)
    await made(draft, tenant)
    const kept = (await list()).map(({ id }) => id)
    expect(kept.filter((id) => id.startsWith('true-1-'))).toHaveLength(10)
    expect(kept).not.toContain('true-1-11')
    expect(kept.filter((id) => id.startsWith('false-1-'))).toHaveLength(3)
    expect(kept.filter((id) => id.startsWith('false-31-'))).toEqual([])
    expect(kept).toHaveLength(14)
  })
})
