import { randomUUID } from 'node:crypto'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { auditLog } from '@mainstay/contract/monitoring/audit-log'
import { AlertRule, alertRules, AlertType, MAX_ALERT_DURATION } from '@mainstay/contract/monitoring/alert-rules'
import { Alert, alerts } from '@mainstay/contract/monitoring/alerts'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { lineOf, type Sample } from '../../../metrics/sample'
import { noStore, type MetricsStore } from '../../../metrics/store/metrics-store'
import { testMetricsStore } from '../../../testing/metrics-store'
import type { PersonaName } from '../../../testing/personas'
import { startServer, type TestServer } from '../../../testing/start-server'
import { evaluateAlerts } from './evaluate'

const operator = 'superuser'
const tenant = 'project-member'

let kept: MetricsStore
/** The metrics store used by the server. Tests replace it. */
let current: MetricsStore
let server: TestServer

beforeAll(async () => {
  kept = await testMetricsStore()
  current = kept
  const behind: MetricsStore = {
    get advice() {
      return current.advice
    },
    ask: (...given) => current.ask(...given),
    // drop all metrics except those pushed by the tests
    push: async () => undefined,
    close: async () => undefined,
  }
  server = await startServer({ metricsStore: behind })
  // from now on, only the tests evaluate rules
  await server.tools.scheduler.close()
  // raise alerts immediately, so that tests do not have to wait for minutes
  for (const id of AlertType.options)
    await server.call(alertRules.save, { as: operator, body: { id, duration_seconds: 0 } })
})
afterAll(() => server.close())

const evaluate = () => evaluateAlerts(server.tools)
const all = async (as: PersonaName = operator, query: object = {}) =>
  (await server.call(alerts.list, { as, query: { limit: 200, ...query } })).data
const about = async (object_id: string, query: object = {}) => all(operator, { object_id, ...query })

const make = (name: string, as: PersonaName = tenant) =>
  server.call(instances.create, {
    as,
    body: { name, flavor: 's1.nano', networks: [], volumes: [{ source: 'blank', size: GiB, boot_index: 0 }] },
  })
const reaches = (id: string, status: Instance['status'], as: PersonaName = tenant) =>
  vi.waitFor(async () => expect(await server.call(instances.view, { as, params: { id } })).toMatchObject({ status }))

/** Creates an instance that fails to start. Returns it with its alert. */
async function broken(as: PersonaName = tenant) {
  const { id } = await make('fault-start', as)
  await reaches(id, 'ERROR', as)
  await evaluate()
  const [alert] = await about(id, { type: 'vm_error' })
  return { id, alert: alert! }
}

const push = async (...samples: Sample[]) => {
  await kept.push(samples.map((sample) => lineOf(sample, Date.now() - 2000)))
  await kept.flush!()
}

describe('the list of alerts', () => {
  it('returns alerts with the fields id, enabled, suspended and severity [CA-035]', async () => {
    const { id, alert } = await broken()
    expect(Alert.parse(alert)).toEqual(alert)
    expect(alert).toMatchObject({ id: expect.any(String), enabled: true, suspended: false, severity: 'error' })
    expect(alert).toMatchObject({
      ...{ type: 'vm_error', group: 'compute', state: 'raised', object_kind: 'server', object_id: id },
      ...{ object_name: 'fault-start', project_id: server.cast.projects['alpha-one']!.id, closed_at: null },
      details: expect.stringContaining('did not start'),
      advice: expect.stringContaining('Open the virtual machine'),
    })
    expect(alerts.list).toMatchObject({ verb: 'GET', path: '/api/v2/alerts' })
    expect(await server.call(alerts.view, { as: operator, params: { id: alert.id } })).toEqual(alert)
    // another evaluation neither adds nor changes alerts
    await evaluate()
    expect(await about(id)).toEqual([alert])
  })

  it('shows tenants only alerts for their own project', async () => {
    const [mine, theirs] = [await broken(), await broken('other-member')]
    const ids = async (as: PersonaName) => (await all(as)).map(({ id }) => id)
    expect(await ids(tenant)).toContain(mine.alert.id)
    expect(await ids(tenant)).not.toContain(theirs.alert.id)
    expect(await ids(operator)).toEqual(expect.arrayContaining([mine.alert.id, theirs.alert.id]))
    const { status } = await server.fetch(alerts.view, { as: tenant, params: { id: theirs.alert.id } })
    expect(status).toBe(404)
    expect(new Set((await all(tenant)).map((it) => it.project_id))).toEqual(new Set([mine.alert.project_id]))
  })
})

describe('updating an alert', () => {
  it('enables, suspends and sets the severity of an alert [CA-036]', async () => {
    const { alert } = await broken()
    expect(alerts.save).toMatchObject({ verb: 'PUT', path: '/api/v2/alerts' })
    const { id } = alert
    const save = (body: object) => server.call(alerts.save, { as: operator, body: { id, ...body } })
    expect(await save({ enabled: false })).toMatchObject({ id, enabled: false, suspended: false, severity: 'error' })
    expect(await save({ enabled: true, severity: 'info' })).toMatchObject({ enabled: true, severity: 'info' })
    const until = new Date(Date.now() + 3600_000).toISOString()
    const suspended = await save({ suspended: true, suspended_until: until })
    expect(suspended).toMatchObject({ suspended: true, suspended_until: until, severity: 'info' })
    // a suspended alert stays in the list and is not raised again
    await evaluate()
    expect(await about(alert.object_id)).toEqual([suspended])
    expect(await save({ suspended: false })).toMatchObject({ suspended: false, suspended_until: null })
  })

  it('ends a suspension when it expires', async () => {
    const { alert } = await broken()
    const body = { id: alert.id, suspended: true, suspended_until: new Date(Date.now() - 1000).toISOString() }
    await server.call(alerts.save, { as: operator, body })
    await evaluate()
    expect(await about(alert.object_id)).toMatchObject([{ suspended: false, suspended_until: null, state: 'raised' }])
  })

  it('reports invalid values on their field', async () => {
    const { alert } = await broken()
    const until = new Date().toISOString()
    for (const [field, body] of [
      ['severity', { severity: 'bad' }],
      ['enabled', { enabled: 'no' }],
      ['suspended', { suspended: 'long' }],
      ['suspended_until', { suspended: true, suspended_until: 'tomorrow' }],
      ['suspended_until', { suspended_until: until }],
    ] as const)
      await expect(
        server.call(alerts.save, { as: operator, body: { id: alert.id, ...body } as never }),
      ).rejects.toMatchObject({ code: 'validation', fields: { [field]: [expect.any(String)] } })
    const unknown = { as: operator, body: { id: randomUUID(), enabled: false } } as const
    await expect(server.call(alerts.save, unknown)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('requires an operator and is recorded in the audit log', async () => {
    const { alert } = await broken()
    const body = { id: alert.id, enabled: false }
    for (const as of [tenant, 'viewer'] as const)
      expect((await server.fetch(alerts.save, { as, body })).status, as).toBe(403)
    await server.call(alerts.save, { as: operator, body })
    const { data } = await server.call(auditLog.list, { as: operator, query: { limit: 5 } })
    expect(data).toContainEqual(expect.objectContaining({ activity: 'alert.save', object_id: alert.id }))
  })
})

describe('an alert for a command-line client', () => {
  const asked = async (query: Record<string, unknown>) =>
    (await (await server.fetch(alerts.list, { as: operator, query })).json()) as { data: Record<string, unknown>[] }
  const disabledToo = { params: '{"filters":{"enabled":"False"}}' }

  it('has a numeric ID by which it can be found and disabled', async () => {
    const { alert } = await broken()
    expect(alert.id).toMatch(/^\d+$/)
    const number = Number(alert.id)
    const response = await server.fetch(alerts.update, {
      as: operator,
      params: { id: alert.id },
      body: { enabled: false },
    })
    const changed: unknown = await response.json()
    expect(changed).toMatchObject({ id: number, type: 'vm_error', enabled: false })
    // the response complies with the contract
    expect(alerts.update.reply.parse(changed)).toEqual(changed)
    const { data } = await asked(disabledToo)
    expect(data.find(({ id }) => id === number)).toMatchObject({ enabled: false, severity: 'error' })
    expect(data.length).toBeGreaterThan(1)
    // the filter for enabled alerts returns no disabled ones
    const counted = await asked({ params: '{"filters":{"enabled":"True"}}' })
    expect(new Set(counted.data.map(({ enabled }) => enabled))).toEqual(new Set([true]))
    expect((await server.fetch(alerts.list, { as: operator, query: { params: '{' } })).status).toBe(400)
    expect(await server.call(alerts.view, { as: operator, params: { id: alert.id } })).toMatchObject({ id: alert.id })
  })

  it('cannot be changed by tenants', async () => {
    const { alert } = await broken()
    const change = { params: { id: alert.id }, body: { enabled: false } }
    expect((await server.fetch(alerts.update, { as: tenant, ...change })).status).toBe(403)
    const theirs = { as: operator, params: { id: '999999999' }, body: { enabled: false } } as const
    expect((await server.fetch(alerts.update, theirs)).status).toBe(404)
    const wrong = await server.fetch(alerts.update, {
      as: operator,
      params: { id: alert.id },
      body: { enabled: 'no' } as never,
    })
    expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('enabled')])
  })

  it('has timestamps with microseconds and an offset, just like the audit log', async () => {
    await broken()
    const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/
    const [plain, numbered] = [await asked({}), await asked(disabledToo)]
    for (const { datetime } of [...plain.data, ...numbered.data]) expect(datetime).toMatch(form)
    const { data } = await server.call(auditLog.list, { as: operator, query: { limit: 5 } })
    for (const { timestamp } of data) expect(timestamp).toMatch(form)
    const line = await server.call(auditLog.view, { as: operator, params: { id: String(data[0]!.id) } })
    expect(line.timestamp).toBe(data[0]!.timestamp)
  })
})

describe('alert rules', () => {
  it('can be changed by operators and are hidden from tenants', async () => {
    const { data } = await server.call(alertRules.list, { as: operator, query: { limit: 100 } })
    expect(data.map(({ id }) => id).toSorted()).toEqual(AlertType.options.toSorted())
    for (const rule of data) expect(AlertRule.parse(rule)).toEqual(rule)
    expect((await server.fetch(alertRules.list, { as: tenant })).status).toBe(403)
    const wanted = { id: 'vm_high_cpu', severity: 'error', threshold: 80, suspended: true } as const
    expect(await server.call(alertRules.save, { as: operator, body: wanted })).toMatchObject(wanted)
    await server.call(alertRules.save, {
      as: operator,
      body: { id: 'vm_high_cpu', severity: 'warning', threshold: 90, suspended: false },
    })
  })

  it('report invalid values on their field', async () => {
    for (const [field, body] of [
      ['id', { id: 'none' }],
      ['threshold', { id: 'vm_error', threshold: 5 }],
      ['threshold', { id: 'vm_high_cpu', threshold: 101 }],
      ['duration_seconds', { id: 'vm_error', duration_seconds: MAX_ALERT_DURATION + 1 }],
    ] as const)
      await expect(server.call(alertRules.save, { as: operator, body: body as never })).rejects.toMatchObject({
        code: 'validation',
        fields: { [field]: [expect.any(String)] },
      })
  })

  it('close their alerts when they are disabled and raise them again when they are enabled', async () => {
    const { id, alert } = await broken()
    const enable = (enabled: boolean) =>
      server.call(alertRules.save, { as: operator, body: { id: 'vm_error', enabled } })
    await enable(false)
    await evaluate()
    expect(await about(id)).toMatchObject([{ id: alert.id, state: 'closed', closed_at: expect.any(String) }])
    await enable(true)
    await evaluate()
    expect((await about(id)).map(({ state }) => state).toSorted()).toEqual(['closed', 'raised'])
  })
})

describe('evaluating alert rules', () => {
  it('closes an alert when its object is deleted', async () => {
    const { id, alert } = await broken()
    await server.call(instances.delete, { as: tenant, params: { id } })
    await vi.waitFor(async () =>
      expect((await server.fetch(instances.view, { as: tenant, params: { id } })).status).toBe(404),
    )
    await evaluate()
    expect(await about(id)).toMatchObject([{ id: alert.id, state: 'closed' }])
  })

  it('raises each alert only once, even if several servers evaluate the rules concurrently', async () => {
    const { id } = await make('fault-start')
    await reaches(id, 'ERROR')
    await Promise.all([evaluate(), evaluate(), evaluate()])
    await evaluate()
    expect(await about(id)).toHaveLength(1)
  })

  it('continues from the state left by a killed server', async () => {
    const { id, alert } = await broken()
    const rows = await server.sql.query<{ alert_id: string }>('select alert_id from alert_watch where rule = $1', [
      'vm_error',
    ])
    // open alerts are stored only in the database
    expect(rows.map(({ alert_id }) => alert_id)).toContain(alert.id)
    // a delayed server must not overwrite the results of a more recent evaluation
    await server.sql.query(`update alert_evaluation set at = now() + interval '1 hour' where rule = 'vm_error'`)
    await server.call(instances.delete, { as: tenant, params: { id } })
    await vi.waitFor(async () =>
      expect((await server.fetch(instances.view, { as: tenant, params: { id } })).status).toBe(404),
    )
    await evaluate()
    expect(await about(id)).toMatchObject([{ state: 'raised' }])
    await server.sql.query(`delete from alert_evaluation where rule = 'vm_error'`)
    await evaluate()
    expect(await about(id)).toMatchObject([{ id: alert.id, state: 'closed' }])
  })

  it(
    'raises an alert at a metric threshold, keeps it open just below and closes it further below',
    { tags: 'all' },
    async () => {
      const { id } = await make('busy')
      await reaches(id, 'ACTIVE')
      const { id: project_id, domain_id } = server.cast.projects['alpha-one']!
      const cpu = async (value: number) => {
        await push({ name: 'mainstay_vm_cpu_usage_ratio', labels: { project_id, domain_id, server_id: id }, value })
        await evaluate()
        return about(id, { type: 'vm_high_cpu' })
      }
      expect(await cpu(0.5)).toEqual([])
      expect(await cpu(0.97)).toMatchObject([
        { state: 'raised', value: 97, threshold: 90, unit: 'percent', severity: 'warning', project_id },
      ])
      expect(await cpu(0.87)).toMatchObject([{ state: 'raised' }])
      expect(await cpu(0.2)).toMatchObject([{ state: 'closed' }])
    },
  )

  it('raises an alert when a project has almost used up a quota', async () => {
    const { id: project_id, domain_id } = server.cast.projects['beta-one']!
    const labels = { project_id, domain_id, quota: `spec-${randomUUID()}` }
    await push({ name: 'mainstay_quota_used', labels, value: 19 }, { name: 'mainstay_quota_limit', labels, value: 20 })
    await evaluate()
    const found = (await all('other-member', { type: 'quota_near_limit' })).filter(
      ({ object_part }) => object_part === labels.quota,
    )
    expect(found).toMatchObject([{ value: 95, object_kind: 'project', object_id: project_id, severity: 'info' }])
  })

  it('neither raises nor closes alerts while metrics are missing', { tags: 'all' }, async () => {
    const { id } = await make('busy-for-long')
    await reaches(id, 'ACTIVE')
    const { id: project_id, domain_id } = server.cast.projects['alpha-one']!
    await push({ name: 'mainstay_vm_cpu_usage_ratio', labels: { project_id, domain_id, server_id: id }, value: 1 })
    await evaluate()
    const standing = await about(id, { type: 'vm_high_cpu' })
    expect(standing).toMatchObject([{ state: 'raised' }])
    const rule = () => server.call(alertRules.view, { as: operator, params: { id: 'vm_high_cpu' } })
    expect(await rule()).toMatchObject({ state: 'evaluated' })
    const down = { ...noStore(''), advice: null }
    const lying = { ...down, ask: () => Promise.reject(new Error('it is not an answer')) }
    for (const store of [down, lying]) {
      current = store
      try {
        await evaluate()
        expect(await rule()).toMatchObject({ state: 'unknown' })
        expect(await about(id, { type: 'vm_high_cpu' })).toEqual(standing)
        expect(await about('figures', { state: 'raised' })).toMatchObject([{ type: 'figures_down', severity: 'error' }])
      } finally {
        current = kept
      }
    }
    await evaluate()
    expect(await rule()).toMatchObject({ state: 'evaluated' })
    expect(await about('figures', { state: 'raised' })).toEqual([])
    // missing data for an instance does not mean that its load is low
    current = {
      ...kept,
      ask: async () => ({ status: 'success', data: { resultType: 'vector', result: [] } }),
    }
    try {
      await evaluate()
      expect(await about(id, { type: 'vm_high_cpu' })).toEqual(standing)
    } finally {
      current = kept
    }
  })

  it('raises an alert for tasks that fail repeatedly', { tags: 'all' }, async () => {
    const { id } = await broken()
    expect(await about(id, { type: 'task_fails_often' })).toEqual([])
    for (let at = 0; at < 2; at++) {
      const [task] = await server.sql.query<{ body: object }>(
        `select body from resource where kind = 'task' and status = 'failed' and body -> 'args' -> 0 ->> 'id' = $1`,
        [id],
      )
      await server.tools.inventory.transaction((records) => records.put('task', { ...task!.body, id: randomUUID() }))
    }
    await evaluate()
    expect(await about(id, { type: 'task_fails_often' })).toMatchObject([
      { value: 3, threshold: 3, object_part: 'compute.server.create', project_id: expect.any(String) },
    ])
  })

  it('raises alerts for an unreachable platform component and an expiring certificate', async () => {
    const part = { name: 'spec', reachable: false, since: new Date().toISOString(), message: 'It is gone' }
    const { tools } = server
    const served = { names: ['cloud.example'], not_after: '2030-01-01T00:00:00Z', days_left: 5 }
    const given = {
      ...tools,
      platformParts: { all: async () => [part] },
      certificate: {
        about: () => ({ source: 'uploaded', certificate: served }),
      } as unknown as typeof tools.certificate,
    }
    await evaluateAlerts(given)
    expect(await about('spec')).toMatchObject([{ type: 'part_down', severity: 'critical', details: 'It is gone' }])
    expect(await about('server')).toMatchObject([
      { type: 'certificate_expires', value: 5, object_name: 'cloud.example' },
    ])
    // tenants do not see alerts about the platform
    expect((await all(tenant)).filter(({ object_kind }) => object_kind === 'part')).toEqual([])
    await evaluateAlerts(tools)
    expect(await about('spec', { state: 'raised' })).toEqual([])
  })

  it('sends a single email for all alerts that a rule raises at the same time', { tags: 'all' }, async () => {
    const alert = vi.fn(async () => undefined)
    const tools = { ...server.tools, mailer: { ...server.tools.mailer, alert } }
    const toldOf = async (...names: string[]) => {
      for (const name of names) await reaches((await make(name)).id, 'ERROR')
      alert.mockClear()
      await evaluateAlerts(tools)
      await evaluateAlerts(tools)
      const told = alert.mock.calls as unknown as [string, { subject: string; text: string }][]
      return told.filter(([, { subject }]) => subject.endsWith('in the error state'))
    }
    expect(await toldOf('fault-start')).toEqual([
      [
        'error',
        {
          subject: 'Virtual machine fault-start is in the error state',
          text: expect.stringContaining('fault-start, since 20'),
        },
        expect.anything(),
      ],
    ])
    const several = await toldOf('fault-start-a', 'fault-start-b', 'fault-start-c')
    expect(several.map(([, { subject }]) => subject)).toEqual(['3 virtual machines are in the error state'])
    for (const name of ['a', 'b', 'c']) expect(several[0]![1].text).toContain(`- fault-start-${name}, since 20`)
  })

  it('reports when it last ran, and that it is outdated until every rule has been evaluated', async () => {
    const evaluation = () => server.call(alerts.evaluation, { as: tenant })
    await evaluate()
    expect(await evaluation()).toEqual({ evaluated_at: expect.any(String), is_current: true })
    await server.sql.query(`update alert_evaluation set at = now() - interval '10 minutes' where rule = 'vm_error'`)
    const { evaluated_at, is_current } = await evaluation()
    expect(is_current).toBe(false)
    expect(Date.now() - Date.parse(evaluated_at!)).toBeGreaterThan(9 * 60_000)
    await server.sql.query(`delete from alert_evaluation where rule = 'vm_error'`)
    expect(await evaluation()).toEqual({ evaluated_at: null, is_current: false })
  })
})
