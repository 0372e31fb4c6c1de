import { tmpdir } from 'node:os'
import { beforeEach, describe, expect, it } from 'vitest'
import { verdictOf, verifyAudit } from '../command-line/verify-audit'
import { plan } from '../testing/acts'
import { audit, databaseUrl, sql, withAudit } from '../testing/audit-fixture'
import { silentLogger } from '../testing/silent-logger'
import { pruneLines, sealLines, verifyLines } from './chain'

withAudit()

const query = <Row = object>(text: string, values: unknown[] = []) => sql.query<Row>(text, values)
const atOnce = { successSeconds: 0, unknownSeconds: 24 * 3600 }
const seal = () => sealLines(sql, atOnce)
const verify = () => verifyLines(sql)

/** Changes the tables with triggers disabled, as only their owner can. */
const tamper = (text: string, values: unknown[] = []) =>
  sql.transaction(async (inside) => {
    await inside.query('set local session_replication_role = replica')
    await inside.query(text, values)
  })

/** Inserts entries as servers running any version would: one per second, the last one now. */
const write = (count: number, columns = '') =>
  query<{ id: string }>(
    `insert into audit (action, subject_id, user_name, request_id, address, method, path, status, result, started_at, finished_at
        ${columns === '' ? '' : ', session_id'})
      select 'volume.update', 'v-' || n, 'ann', 'r-' || n, '192.0.2.1', 'PATCH', '/', 200, 'success', at, at
        ${columns === '' ? '' : `, '${columns}'`}
      from (select n, clock_timestamp() - make_interval(secs => $1 - n) as at from generate_series(1, $1) n) planted
      returning id::text`,
    [count],
  )

let ids: string[] = []
beforeEach(async () => {
  await tamper('truncate audit, audit_unsealed, audit_seal')
  await tamper("update audit_anchor set seq = 0, hash = repeat('0', 64), removed_lines = 0, removed_at = null")
  ids = [...(await write(6)), ...(await write(4, 'of a newer version'))].map(({ id }) => id)
  expect(await seal()).toBe(10)
})

describe('the chain', () => {
  it('is intact across entries from older versions, and reports unsealed entries', async () => {
    expect(await verify()).toMatchObject({ fault: null, sealed: 10, waiting: 0, removed: 0, head: { seq: '10' } })
    await write(3)
    expect(await verify()).toMatchObject({ fault: null, sealed: 10, waiting: 3 })
    expect(await seal()).toBe(3)
    expect(await verify()).toMatchObject({ fault: null, sealed: 13, waiting: 0, head: { seq: '13' } })
  })

  it('seals entries once they can no longer change', async () => {
    const none = { kind: 'volume', id: null, name: null }
    const refusal = { status: 409, result: 'error' as const, error_code: 'conflict', message: null }
    await audit.begin(plan()).done({ id: 'v', name: 'done' })
    await audit.begin(plan()).failed({ subject: none, ...refusal })
    const act = audit.begin(plan({ noteFirst: true }))
    await act.run(async () => undefined)
    // one call was refused, one has just succeeded and may still fail, and one has only just begun
    await audit.seal()
    const waiting = await query(
      "select a.result from audit_unsealed join audit a on a.id = line_id where action like 'volume.%' order by 1",
    )
    expect(waiting).toEqual([{ result: 'success' }, { result: 'unknown' }])
    await seal()
    expect(await query('select a.result from audit_unsealed join audit a on a.id = line_id')).toEqual([
      { result: 'unknown' },
    ])
    await act.done(undefined)
    await seal()
    expect(await verify()).toMatchObject({ fault: null, waiting: 0 })
  })

  it('adds a second entry when a call ends after its entry was sealed', async () => {
    const late = plan()
    const act = audit.begin({ ...late, noteFirst: true })
    await act.run(async () => undefined)
    await sealLines(sql, { successSeconds: 0, unknownSeconds: 0 })
    await act.failed({
      subject: { kind: 'volume', id: null, name: null },
      ...{ result: 'error', status: 500, error_code: 'unknown', message: 'too late' },
    })
    const lines = await query('select result from audit where request_id = $1 order by id', [late.call.request_id])
    expect(lines).toEqual([{ result: 'unknown' }, { result: 'error' }])
    await seal()
    expect(await verify()).toMatchObject({ fault: null, sealed: 12 })
  })

  it('stays a single chain when several servers seal at the same time', async () => {
    await write(2500)
    const counts = await Promise.all([seal(), seal(), seal(), seal()])
    while ((await seal()) > 0);
    expect(counts.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(2500)
    expect(await verify()).toMatchObject({ fault: null, sealed: 2510, waiting: 0, head: { seq: '2510' } })
  })

  it('does not block audited actions while it is being sealed', async () => {
    let go = (): void => undefined
    const held = new Promise<void>((resolve) => (go = resolve))
    const holding = sql.transaction(async (inside) => {
      await inside.query('select pg_advisory_xact_lock(7206566)')
      await held
    })
    await audit.begin(plan()).done({ id: 'v', name: 'meanwhile' })
    expect(await seal()).toBe(0)
    go()
    await holding
    expect(await verify()).toMatchObject({ fault: null })
  })

  it('prevents the server from changing or removing a sealed entry', async () => {
    for (const change of ["update audit set result = 'error', status = 500", 'delete from audit'])
      await expect(query(`${change} where id = $1`, [ids[3]])).rejects.toThrow('sealed audit rows')
  })
})

describe('verification detects', () => {
  const fault = async () => (await verify()).fault

  it.each([
    ["user_name = 'bob'"],
    ["result = 'error'"],
    ["started_at = started_at - interval '1 s'"],
    ["address = '192.0.2.2'"],
    ['changes = \'[{"field": "name"}]\''],
  ])('a changed entry: %s', async (change) => {
    await tamper(`update audit set ${change} where id = $1`, [ids[4]])
    expect(await fault()).toEqual({ line_id: ids[4], what: 'the entry or its seal was changed' })
  })

  it('an entry that was changed together with its seal', async () => {
    await tamper("update audit set user_name = 'bob' where id = $1", [ids[4]])
    await tamper("update audit_seal set hash = repeat('a', 64) where line_id = $1", [ids[4]])
    expect(await fault()).toMatchObject({ line_id: ids[4] })
  })

  it('an entry that was removed, with or without its seal', async () => {
    await tamper('delete from audit where id = $1', [ids[4]])
    expect(await fault()).toEqual({ line_id: ids[4], what: 'the entry was removed' })
    await tamper('delete from audit_seal where line_id = $1', [ids[4]])
    expect(await fault()).toEqual({ line_id: ids[5], what: 'the seals before it are missing, starting at 5' })
  })

  it('an entry that was removed from the start of the chain or before it was sealed', async () => {
    await tamper('delete from audit where id = $1', [ids[0]])
    await tamper('delete from audit_seal where line_id = $1', [ids[0]])
    expect(await fault()).toMatchObject({ line_id: ids[1] })
    await tamper('truncate audit_seal')
    await tamper('delete from audit')
    const [{ id }] = (await write(1)) as [{ id: string }]
    await tamper('delete from audit where id = $1', [id])
    expect(await fault()).toEqual({ line_id: id, what: 'the entry was removed before it was sealed' })
  })

  it('entries that were swapped, with or without their seals', async () => {
    const swap = (table: string, column: string) =>
      tamper(
        `update ${table} set ${column} = case ${column} when $1::bigint then $2::bigint else $1::bigint end
          where ${column} in ($1::bigint, $2::bigint)`,
        [ids[2], ids[7]],
      )
    await tamper('alter table audit_seal drop constraint audit_seal_line_id_key')
    await swap('audit_seal', 'line_id')
    expect(await fault()).toMatchObject({ line_id: ids[7] })
    await swap('audit_seal', 'line_id')
    expect(await fault()).toBeNull()
    await tamper('alter table audit_seal add constraint audit_seal_line_id_key unique (line_id)')
    await tamper(
      `update audit a set user_name = b.action, action = b.subject_id, subject_id = b.subject_id from audit b
        where a.id in ($1, $2) and b.id in ($1, $2) and a.id <> b.id`,
      [ids[2], ids[7]],
    )
    expect(await fault()).toMatchObject({ line_id: ids[2] })
  })

  it('an inserted entry, whether triggers were bypassed or not', async () => {
    const forged = (
      id: string,
    ) => `insert into audit (id, action, request_id, address, method, path, status, result, started_at, finished_at)
      overriding system value
      values (${id}, 'volume.delete', 'forged', '192.0.2.9', 'DELETE', '/', 200, 'success', now() - interval '9 d', now() - interval '9 d')`
    await tamper(forged('1000000001'))
    expect(await fault()).toMatchObject({
      line_id: '1000000001',
      what: expect.stringContaining('the entry has no seal'),
    })
    await tamper('delete from audit where id = 1000000001')
    await query(forged('1000000002'))
    expect(await fault()).toMatchObject({ line_id: '1000000002', what: expect.stringContaining('inserted later') })
    await seal()
    expect(await fault()).toMatchObject({ line_id: '1000000002', what: expect.stringContaining('inserted later') })
  })

  it('a missing anchor', async () => {
    await tamper('delete from audit_anchor')
    expect(await fault()).toMatchObject({ line_id: null, what: expect.stringContaining('audit_anchor') })
    await query("insert into audit_anchor (seq, hash) values (0, repeat('0', 64))")
    expect(await fault()).toBeNull()
  })
})

describe('retention', () => {
  it('removes the oldest entries and leaves an intact chain that later entries continue', async () => {
    await tamper("update audit set started_at = started_at - interval '40 d'")
    await tamper('truncate audit_seal')
    await tamper('insert into audit_unsealed select id from audit')
    await seal()
    const young = (await write(5)).length
    await seal()
    expect(await pruneLines(sql, 30)).toBe(10)
    expect(await verify()).toMatchObject({ fault: null, sealed: young, removed: 10, head: { seq: '15' } })
    await write(2)
    await seal()
    expect(await verify()).toMatchObject({ fault: null, sealed: young + 2, removed: 10 })
    expect(await pruneLines(sql, 30)).toBe(0)
    const [{ id }] = (await query<{ id: string }>('select min(id)::text as id from audit')) as [{ id: string }]
    await tamper("update audit set user_name = 'bob' where id = $1", [id])
    expect((await verify()).fault).toMatchObject({ line_id: id })
  })
})

describe('--verify-audit', () => {
  it('reports in full sentences whether the log is intact, while the server is running', async () => {
    const look = async () => verdictOf(await verifyAudit({ databaseUrl, dataFolder: tmpdir() }, silentLogger))
    expect(await look()).toEqual([
      'The audit log is intact: 10 entries verified.',
      '0 entries may still change and are not sealed yet; retention has removed 0 entries.',
      expect.stringMatching(/^Last seal: 10 [0-9a-f]{64}$/),
    ])
    await tamper('delete from audit where id = $1', [ids[4]])
    expect((await look())[0]).toBe(
      `The audit log was tampered with at entry ${ids[4]}: the entry was removed. 4 entries before it are intact.`,
    )
  })
})
