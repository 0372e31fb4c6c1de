import { instances } from '@mainstay/contract/compute/instances'
import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { quotas } from '@mainstay/contract/compute/quotas'
import { bulkRuns } from '@mainstay/contract/core/bulk-runs'
import { GiB } from '@mainstay/contract/core/bytes'
import { session } from '@mainstay/contract/identity/session'
import { projects } from '@mainstay/contract/identity/projects'
import { users } from '@mainstay/contract/identity/users'
import { AuditLine } from '@mainstay/contract/monitoring/audit-lines'
import { AUDIT_LIMIT, auditLog, type AuditPage } from '@mainstay/contract/monitoring/audit-log'
import { volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { PersonaName } from '../../testing/personas'
import { PASSWORD } from '../../testing/personas'
import { fakeConsoles } from '../../testing/guest-consoles'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  fakeConsoles(server)
})
afterAll(() => server.close())

const operator = 'superuser'
const tenant = 'project-member'
const list = (query: Record<string, unknown> = {}, as: PersonaName = operator) =>
  server.call(auditLog.list, { as, query })
const linesOf = async (query: Record<string, unknown>, as?: PersonaName) => (await list(query, as)).data
/** Returns the ID of the newest entry. */
const newest = async () => (await server.sql.query<{ id: number }>('select max(id)::int as id from audit'))[0]!.id
const makeVolume = (name: string, as: PersonaName = tenant) =>
  server.call(volumes.create, { as, body: { name, size: GiB } })

/** Inserts entries that are older than all others. `address` identifies the entries of a test. */
const plant = (count: number, more: Record<string, string> = {}) =>
  server.sql.query(
    `insert into audit (action, subject_id, subject_name, user_id, user_name, domain_id, project_id, scope_kind, request_id,
       address, method, path, status, result, message, started_at, finished_at)
     select coalesce($2, 'volume.create'), 'o-' || n, 'disk ' || n, 'u', coalesce($3, 'ann'), $4, null, $5, 'planted-' || n,
       $6, 'POST', '/', 200, 'success', $7, at, at
     from (select n, now() - make_interval(secs => 1000000 - n) as at from generate_series(1, $1) n) planted`,
    [
      count,
      more['action'] ?? null,
      more['user_name'] ?? null,
      more['domain_id'] ?? null,
      more['scope_kind'] ?? null,
      more['address'] ?? '192.0.2.1',
      more['message'] ?? null,
    ],
  )

describe('an audit log entry', () => {
  it('records user, action, object, time, address, session and result', async () => {
    const { id } = await makeVolume('told')
    const [line] = await linesOf({ object_id: id })
    expect(AuditLine.parse(line)).toEqual(line)
    const { user, domain, project } = server.cast.people[tenant]
    expect(line).toMatchObject({
      ...{
        id: expect.any(Number),
        username: user.name,
        user_id: user.id,
        domain_id: domain.id,
        project_id: project!.id,
      },
      ...{
        type: 'volume',
        activity: 'volume.create',
        object_id: id,
        object_name: 'told',
        result: 'success',
        status: 202,
      },
      ...{ error_code: null, message: null, address: '127.0.0.1', method: 'POST', path: volumes.create.path },
      ...{ request_id: expect.stringMatching(/^req-/), session_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    })
    expect(Date.now() - Date.parse(line!.timestamp)).toBeLessThan(60_000)
    expect(await server.call(auditLog.view, { as: operator, params: { id: String(line!.id) } })).toEqual(line)
  })

  it('records the reason why a call was refused', async () => {
    const name = '5 begins with a digit'
    expect((await server.fetch(volumes.create, { as: tenant, body: { name, size: GiB } })).status).toBe(400)
    const viewed = await server.fetch(volumes.create, { as: 'viewer', body: { name: 'forbidden', size: GiB } })
    expect(viewed.status).toBe(403)
    const [second, first] = await linesOf({ activity: 'volume.create', result: 'error', limit: 2 })
    expect(first).toMatchObject({ status: 400, error_code: 'validation', message: expect.stringContaining('name') })
    expect(second).toMatchObject({ status: 403, error_code: 'forbidden', username: 'viewer' })
  })

  it('records the old and new values of changed fields, but no values of secrets', async () => {
    const { id } = await makeVolume('first name')
    // fails until the volume has been created
    const body = { name: 'next name', description: '' }
    const change = () => server.call(volumes.update, { as: tenant, params: { id }, body })
    await vi.waitFor(change, 20_000)
    const [line] = await linesOf({ object_id: id, activity: 'volume.update', result: 'success' })
    expect(line!.changes).toEqual([{ field: 'name', from: 'first name', to: 'next name', is_secret: false }])
    const secret = 'quite a secret 42!'
    const draft = { name: 'secretive', password: secret, enabled: true, description: 'a' }
    await server.call(users.create, { as: 'domain-admin', body: draft })
    const [made] = await linesOf({ activity: 'user.create', limit: 1 })
    expect(made!.changes).toContainEqual({ field: 'password', from: null, to: null, is_secret: true })
    expect(made!.changes).toContainEqual({ field: 'name', from: null, to: 'secretive', is_secret: false })
    const flavor = 's1.nano'
    const machine = { name: 'scripted', flavor, networks: [], volumes: [{ source: 'blank' as const, size: GiB }] }
    const user_data = Buffer.from(secret).toString('base64')
    await server.call(instances.create, { as: tenant, body: { ...machine, user_data } })
    const kept = JSON.stringify(await server.sql.query('select * from audit'))
    for (const text of [secret, user_data, PASSWORD]) expect(kept).not.toContain(text)
    expect(kept).toContain('user_data')
  })

  it('is written when a console is opened or data is exported, but not for viewing', async () => {
    const { data } = await server.call(instances.list, { as: tenant, query: {} })
    const { id } = data.find(({ name }) => name === 'scripted')!
    const since = await newest()
    await server.call(instances.view, { as: tenant, params: { id } })
    await server.fetch(instances.console, { as: tenant, params: { id } })
    await server.fetch(instances.log, { as: tenant, params: { id } })
    await (await server.fetch(auditLog.export, { as: operator, query: { limit: 1 } })).text()
    await (await server.fetch(auditLog.export, { as: operator, query: { type: 'volume' } })).text()
    const lines = await linesOf({ after: since, sorters: 'timestamp:asc' })
    expect(lines.map(({ activity }) => activity)).toEqual([
      ...['server.console', 'server.log', 'audit_log.export', 'audit_log.export'],
    ])
    expect(lines[0]).toMatchObject({ object_id: id, username: server.cast.people[tenant].user.name })
  })
})

describe('the list of audit log entries', () => {
  it('accepts a text filter, sorters, a page, a start and a limit [CA-033]', async () => {
    const address = '192.0.2.33'
    await plant(30, { address, message: 'needle in 100%_hay' })
    const named = async (query: Record<string, unknown>) =>
      (await linesOf({ address, ...query })).map(({ object_name }) => Number(object_name!.slice(5)))
    const counted = (from: number, to: number) =>
      Array.from({ length: Math.abs(to - from) + 1 }, (_, at) => (from > to ? from - at : from + at))
    expect(await named({})).toEqual(counted(30, 1))
    expect(await named({ sorters: 'timestamp:asc', limit: 3 })).toEqual([1, 2, 3])
    expect(await named({ limit: 10, page: 2 })).toEqual(counted(20, 11))
    expect(await named({ limit: 10, page: 4 })).toEqual([])
    expect(await named({ limit: 4, start: 25 })).toEqual([5, 4, 3, 2])
    // `start` takes precedence over `page`
    expect(await named({ limit: 10, page: 3, start: 20 })).toEqual(counted(10, 1))
    expect(await named({ 'filters.contained_text': 'DISK 7' })).toEqual([7])
    expect(await named({ 'filters.contained_text': '100%_hay', limit: 1 })).toEqual([30])
    expect(await named({ 'filters.contained_text': '1000_hay' })).toEqual([])
    // browser grids use this format
    const params = {
      filters: { contained_text: 'disk 1', address },
      sorters: [{ property: 'timestamp', direction: 'ASC' }],
      ...{ page: 1, start: 0, limit: 3 },
    }
    expect((await linesOf({ params: JSON.stringify(params) })).map(({ object_name }) => object_name)).toEqual([
      'disk 1',
      'disk 10',
      'disk 11',
    ])
  })

  it('has at most 256 entries per page [CO-014]', async () => {
    await plant(300, { address: '192.0.2.14' })
    expect(AUDIT_LIMIT).toBe(256)
    expect(await linesOf({ address: '192.0.2.14' })).toHaveLength(256)
    expect(await linesOf({ address: '192.0.2.14', limit: 256, page: 2 })).toHaveLength(44)
    await expect(list({ limit: 257 })).rejects.toMatchObject({
      code: 'validation',
      fields: { limit: [expect.any(String)] },
    })
  })

  it('pages by marker without gaps or duplicates, in any order', async () => {
    const address = '192.0.2.15'
    for (const user_name of ['ann', 'bob', '']) await plant(25, { address, user_name, action: `x.${user_name || 'c'}` })
    for (const sorters of ['timestamp:desc', 'timestamp:asc', 'username:desc', 'username', 'activity', 'type:desc']) {
      const seen: number[] = []
      let marker: string | undefined
      do {
        const page: AuditPage = await list({ address, sorters, limit: 10, marker })
        seen.push(...page.data.map(({ id }) => id))
        marker = page.pages[0]?.marker
      } while (marker)
      const whole = await linesOf({ address, sorters })
      expect(seen, sorters).toEqual(whole.map(({ id }) => id))
      expect(new Set(seen).size).toBe(75)
    }
    const names = (await linesOf({ address, sorters: 'username:asc' })).map(({ username }) => username)
    expect(names).toEqual([...names].sort((one, other) => (one! < other! ? -1 : one === other ? 0 : 1)))
  })

  it('names invalid parameters and limits the number of skipped entries', async () => {
    const refused = async (query: Record<string, unknown>) => {
      const error = await list(query).catch((problem: unknown) => problem as { code: string; fields: object })
      return [(error as { code: string }).code, Object.keys((error as { fields: object }).fields)[0]]
    }
    expect(await refused({ start: 10_001 })).toEqual(['validation', 'start'])
    expect(await refused({ page: 41, limit: 256 })).toEqual(['validation', 'page'])
    expect(await linesOf({ start: 10_000 })).toEqual([])
    expect(await refused({ sorters: 'message' })).toEqual(['validation', 'sorters'])
    expect(await refused({ from: 'yesterday' })).toEqual(['invalid_filter', 'from'])
    expect(await refused({ user_id: 'contains:a' })).toEqual(['invalid_filter', 'user_id'])
    const forged = (place: unknown) => `a1.${Buffer.from(JSON.stringify(place)).toString('base64url')}`
    for (const marker of [
      'a1.nonsense',
      forged(['timestamp:desc', '1', 1]),
      forged(['timestamp:asc', '2026-01-01 00:00:00+00', 1]),
    ])
      expect(await refused({ marker })).toEqual(['invalid_marker', 'marker'])
    expect(await refused({ nonsense: '1' })).toEqual(['validation', 'nonsense'])
  })

  it('filters by user, project, domain, kind, object, result, time and activity, with a count', async () => {
    const since = await newest()
    const { id } = await makeVolume('filtered')
    await server.call(sshKeys.list, { as: tenant })
    await server.fetch(volumes.delete, { as: tenant, params: { id: 'gone' } })
    await makeVolume('of others', 'other-member')
    const { user, domain, project } = server.cast.people[tenant]
    const found = async (query: Record<string, unknown>) =>
      (await linesOf({ after: since, sorters: 'timestamp:asc', ...query })).map((line) => line.activity)
    const mine = ['volume.create', 'volume.delete']
    expect(await found({ user_id: user.id })).toEqual(mine)
    expect(await found({ username: `exact:${user.name}` })).toEqual(mine)
    expect(await found({ username: user.name.slice(1, 9).toUpperCase() })).toEqual(mine)
    expect(await found({ project_id: project!.id })).toEqual(mine)
    expect(await found({ domain_id: domain.id })).toEqual(mine)
    expect(await found({ type: 'in:volume,server' })).toHaveLength(3)
    expect(await found({ type: 'server' })).toEqual([])
    expect(await found({ object_id: id })).toEqual(['volume.create'])
    expect(await found({ object_name: 'filter' })).toEqual(['volume.create'])
    expect(await found({ result: 'in:error,unknown' })).toEqual(['volume.delete'])
    expect(await found({ activity: 'volume.delete' })).toEqual(['volume.delete'])
    const soon = new Date(Date.now() + 60_000).toISOString()
    const lately = new Date(Date.now() - 60_000).toISOString()
    expect(await found({ type: 'volume', from: lately, to: soon })).toHaveLength(3)
    expect(await found({ from: soon })).toEqual([])
    expect(await found({ to: lately })).toEqual([])
    expect(await list({ after: since, type: 'volume', with_count: true, limit: 1 })).toMatchObject({
      count: 3,
      count_estimated: false,
    })
    await plant(3000, { address: '192.0.2.16' })
    await server.sql.query('analyze audit')
    const many = await list({ address: '192.0.2.16', with_count: true, limit: 1 })
    expect(many.count_estimated).toBe(true)
    expect(many.count).toBeGreaterThan(2500)
  })

  it('lists all activities as filter values [CA-034]', async () => {
    const response = await fetch(`${server.url}/api/v2/audit_log/activities/`, {
      headers: { 'x-auth-token': await server.signIn(operator) },
    })
    const { data } = (await response.json()) as { data: { type: string; activity: string }[] }
    for (const [type, name] of [
      ...[
        ['server', 'create'],
        ['server', 'console'],
        ['volume', 'update'],
        ['session', 'login'],
        ['user', 'delete'],
      ],
      ...[
        ['image', 'download'],
        ['audit_log', 'export'],
      ],
    ] as const)
      expect(data).toContainEqual({ type, activity: `${type}.${name}` })
    expect(data.map(({ activity }) => activity)).not.toContain('server.list')
    const done = await linesOf({ from: new Date(Date.now() - 3600_000).toISOString() })
    const names = new Set(data.map(({ activity }) => activity))
    expect(done.filter(({ activity }) => !names.has(activity))).toEqual([])
  })
})

describe('access to the audit log', () => {
  it('lets operators read all entries, and project members none', async () => {
    for (const as of ['superuser', 'viewer', 'compute-operator'] as const)
      expect((await linesOf({ limit: 1 }, as)).length).toBe(1)
    for (const as of [tenant, 'project-admin', 'service-account', 'domain-admin@alpha-one'] as const)
      for (const call of [auditLog.list, auditLog.activities, auditLog.export])
        expect((await server.fetch(call, { as })).status, `${as} ${call.path}`).toBe(403)
  })

  it('includes the name of a project or run that is given by its ID', async () => {
    const { id, name } = server.cast.projects['alpha-one']!
    const body = { compute: { instances: { limit: 50 } } } as never
    await server.call(quotas.set, { as: operator, params: { id }, body })
    expect(await linesOf({ activity: 'quota.set', object_id: id })).toMatchObject([{ object_name: name }])
    const own = await server.login(tenant)
    await server.call(session.enterProject, { as: { token: own }, params: { id } })
    const [entered] = await linesOf({ activity: 'session.enterProject', object_id: id })
    expect(entered).toMatchObject({ object_name: name })
    const volume = await makeVolume('in a run')
    await server.call(bulkRuns.create, { as: tenant, body: { kind: 'volume', action: 'lock', ids: [volume.id] } })
    expect((await linesOf({ activity: 'bulk_run.create' }))[0]).toMatchObject({ object_name: '1 object' })
    // entries for refused calls contain only the ID, because the object may belong to another tenant
    const foreign = server.cast.projects['beta-one']!
    const refused = await server.fetch(quotas.set, { as: 'domain-admin', params: { id: foreign.id }, body })
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect(await linesOf({ activity: 'quota.set', object_id: foreign.id })).toMatchObject([{ object_name: null }])
  })

  it('lets domain administrators read entries for their domain, except those of operators', async () => {
    await makeVolume('in alpha')
    await makeVolume('in beta', 'other-member')
    await server.fetch(projects.create, {
      as: operator,
      body: { name: 'by operator' },
      params: { domain_id: server.cast.domains['alpha']!.id },
    })
    const { id } = server.cast.domains['alpha']!
    const lines = await linesOf({}, 'domain-admin')
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.filter(({ domain_id }) => domain_id !== id)).toEqual([])
    expect(lines.map(({ object_name }) => object_name)).toContain('in alpha')
    expect(lines.map(({ object_name }) => object_name)).not.toContain('by operator')
    // session IDs of other users are not shown
    expect(new Set(lines.map(({ session_id }) => session_id))).toEqual(new Set([null]))
    const [foreign] = await linesOf({ object_name: 'in beta' })
    for (const params of [{ id: String(foreign!.id) }, { id: '999999999' }, { id: 'x' }])
      await expect(server.call(auditLog.view, { as: 'domain-admin', params })).rejects.toMatchObject({
        code: 'not_found',
      })
    expect(await linesOf({ object_name: 'in beta' }, 'domain-admin')).toEqual([])
    const file = await (await server.fetch(auditLog.export, { as: 'domain-admin' })).text()
    expect(file).toContain('in alpha')
    expect(file).not.toContain('in beta')
  })
})

describe('the exported file', () => {
  const file = async (query: Record<string, unknown>) => {
    const response = await server.fetch(auditLog.export, { as: operator, query })
    expect(response.status).toBe(200)
    const bytes = Buffer.from(await response.arrayBuffer())
    return { text: bytes.toString('utf8'), headers: response.headers }
  }

  it('contains the filtered entries as CSV without formulas', async () => {
    const address = '192.0.2.20'
    await plant(2, { address, user_name: '=HYPERLINK("http://x")', message: 'two\nlines, "said"' })
    const { text, headers } = await file({ address, sorters: 'timestamp:asc' })
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="audit-log-\d{4}-\d\d-\d\d\.csv"/)
    const [head, first] = text.split('\r\n')
    expect(head).toMatch(/^\uFEFFid,timestamp,username,type,activity,result,/)
    expect(first).toContain(`,"'=HYPERLINK(""http://x"")",volume,volume.create,success,`)
    expect(first).toContain('"two\nlines, ""said"""')
    expect(text.split('\r\n')).toHaveLength(4)
  })

  it('contains one JSON object per line in JSON Lines format', async () => {
    const { text, headers } = await file({ address: '192.0.2.20', format: 'jsonl', sorters: 'timestamp:asc' })
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => AuditLine.parse(JSON.parse(line)))
    expect(lines).toEqual(await linesOf({ address: '192.0.2.20', sorters: 'timestamp:asc' }))
  })

  it('contains at most 10 000 entries', { tags: 'all' }, async () => {
    await plant(10_500, { address: '192.0.2.21' })
    const { text } = await file({ address: '192.0.2.21', format: 'jsonl' })
    expect(text.trimEnd().split('\n')).toHaveLength(10_000)
  })
})
