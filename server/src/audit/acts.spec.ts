import { images } from '@mainstay/contract/compute/images'
import { instances } from '@mainstay/contract/compute/instances'
import { serverGroups } from '@mainstay/contract/compute/server-groups'
import { session } from '@mainstay/contract/identity/session'
import { volumes } from '@mainstay/contract/storage/volumes'
import { GiB } from '@mainstay/contract/core/bytes'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { linesOfRequest, plan, rename, type Line } from '../testing/acts'
import { startServer, type TestServer } from '../testing/start-server'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const linesOf = (action: string, name: string) =>
  server.sql.query<Line>('select * from audit where action = $1 and subject_name = $2 order by id', [action, name])

const draft = (name: string) => ({ name, size: GiB })
const as = 'project-member'

const nameOf = async (id: string) => (await server.call(volumes.view, { as, params: { id } })).name

test('writes the entry in the same transaction as the change, so that both survive a crash', async () => {
  const { id } = await server.call(volumes.create, { as, body: draft('before') })
  const change = plan()
  await server.tools.audit.begin(change).run(() => rename(server, id, 'after'))
  // nothing completes the entry, as after a crash
  expect(await nameOf(id)).toBe('after')
  expect(await linesOfRequest(server, change)).toMatchObject([
    {
      action: 'volume.update',
      subject_id: id,
      subject_name: 'after',
      user_name: 'tester',
      result: 'success',
      status: 200,
    },
  ])
})

test('writes no entry for a rolled-back change until the call fails', async () => {
  const { id } = await server.call(volumes.create, { as, body: draft('steady') })
  const change = plan()
  const act = server.tools.audit.begin(change)
  await expect(act.run(() => rename(server, id, 'other', true))).rejects.toThrow('came to nothing')
  expect(await nameOf(id)).toBe('steady')
  expect(await linesOfRequest(server, change)).toEqual([])
  const failure = { result: 'error' as const, status: 500, error_code: 'unknown', message: 'no' }
  await act.failed({ subject: { kind: 'volume', id, name: null }, ...failure })
  expect(await linesOfRequest(server, change)).toMatchObject([{ result: 'error', status: 500, subject_id: id }])
})

test('does not perform an action whose entry cannot be written', async () => {
  await server.sql.query("alter table audit add constraint full_up check (subject_name <> 'unheard')")
  const made = await server.fetch(volumes.create, { as: await tokenOf(), body: draft('unheard') })
  expect(made.status).toBe(500)
  const noted = plan({ noteFirst: true, subjectOf: () => ({ kind: 'volume', id: null, name: 'unheard' }) })
  let isDone = false
  const act = server.tools.audit.begin(noted)
  await expect(act.run(async () => void (isDone = true))).rejects.toThrow('full_up')
  expect(isDone).toBe(false)
  await server.sql.query('alter table audit drop constraint full_up')
  expect((await server.call(volumes.list, { as, query: { name: 'exact:unheard' } })).data).toEqual([])
})
const tokenOf = async () => ({ token: await server.signIn(as) })

test('records no success for a change that fails at commit', async () => {
  const { id } = await server.call(volumes.create, { as, body: draft('as it was') })
  await server.sql.query(`create function refuse_name() returns trigger language plpgsql as
    $$ begin if new.body ->> 'name' = 'never' then raise exception 'refused at the end'; end if; return null; end $$`)
  await server.sql.query(`create constraint trigger refuse_name after update on resource deferrable initially deferred
    for each row execute function refuse_name()`)
  const change = plan()
  const attempt = server.tools.audit.begin(change).run(() => rename(server, id, 'never'))
  await expect(attempt).rejects.toThrow('refused at the end')
  expect(await nameOf(id)).toBe('as it was')
  expect(await linesOfRequest(server, change)).toEqual([])
  await server.sql.query('drop trigger refuse_name on resource')
  await server.sql.query('drop function refuse_name')
})

test('records one error entry for a call that fails after its change', async () => {
  const { id } = await server.call(volumes.create, { as, body: draft('half') })
  const change = plan()
  const act = server.tools.audit.begin(change)
  await act.run(() => rename(server, id, 'half done'))
  const failure = { result: 'error' as const, status: 409, error_code: 'conflict', message: 'the rest failed' }
  // when a create call fails, the ID is unknown
  await act.failed({ subject: { kind: 'volume', id: null, name: 'half' }, ...failure })
  expect(await linesOfRequest(server, change)).toMatchObject([
    { subject_id: id, subject_name: 'half done', result: 'error', status: 409, message: 'the rest failed' },
  ])
})

test('records a cloud command with an unknown outcome before sending it, then completes the entry', async () => {
  const command = plan({ noteFirst: true })
  const act = server.tools.audit.begin(command)
  await act.run(async () => {
    expect(await linesOfRequest(server, command)).toMatchObject([{ result: 'unknown', status: 0 }])
  })
  await act.done({ id: 'v-1', name: 'of the cloud' })
  expect(await linesOfRequest(server, command)).toMatchObject([
    { result: 'success', status: 200, subject_id: 'v-1', subject_name: 'of the cloud' },
  ])
})

test('writes the entry for an upload while its bytes are still arriving', async () => {
  const who = 'compute-operator@alpha-one'
  let go = (): void => undefined
  const rest = new Promise<void>((resolve) => (go = resolve))
  async function* bytes() {
    const disk = new Uint8Array(1024 * 1024)
    disk.set([0x55, 0xaa], 510)
    yield disk.subarray(0, 4096)
    await rest
    yield disk.subarray(4096)
  }
  const uploading = fetch(`${server.url}${images.create.path}`, {
    method: 'POST',
    headers: {
      'x-auth-token': await server.signIn(who),
      'content-type': 'application/octet-stream',
      'x-hci-image-name': Buffer.from('slow').toString('base64'),
    },
    body: bytes(),
    duplex: 'half',
  } as unknown as RequestInit)
  const lines = () => server.sql.query<Line>("select * from audit where action = 'image.create' order by id")
  await vi.waitFor(async () => expect(await lines()).toMatchObject([{ result: 'unknown', subject_id: null }]), 20_000)
  go()
  const { id } = (await (await uploading).json()) as { id: string }
  expect(await lines()).toMatchObject([{ result: 'success', subject_id: id, subject_name: 'slow' }])
})

test('shows an entry that was never completed as an unknown outcome in the instance’s history', async () => {
  const { id } = await server.call(instances.create, {
    as,
    body: { name: 'cut-off', flavor: 's1.nano', volumes: [{ source: 'blank', size: GiB }], networks: [] },
  })
  const history = async () => (await server.call(instances.events, { as, params: { id } })).data
  expect(await history()).toMatchObject([{ action: 'create' }])
  const command = plan({ noteFirst: true, kind: 'server', subjectOf: () => ({ kind: 'server', id, name: 'cut-off' }) })
  const call = { ...command.call, action: 'server.reboot' }
  await server.tools.audit.begin({ ...command, call }).run(async () => undefined)
  expect((await history())[0]).toMatchObject({ action: 'reboot', result: 'running', finished_at: null })
  const longAgo = new Date(Date.now() - 3600_000)
  const before = { ...call, request_id: 'long-ago', started_at: longAgo }
  await server.tools.audit.begin({ ...command, call: before }).run(async () => undefined)
  expect((await history())[0]).toMatchObject({ action: 'reboot', result: 'error', finished_at: null })
  expect((await history())[0]!.message).toMatch(/^The server stopped before this call was answered/)
})

test('never allows changing who did what and when, or turning a failure into a success', async () => {
  await server.call(volumes.create, { as, body: draft('kept') })
  for (const change of [
    "user_name = 'x'",
    'started_at = now()',
    "action = 'x'",
    "result = 'unknown'",
    "request_id = 'x'",
    "subject_id = 'x'",
    "subject_name = 'x'",
    'subject_id = null',
  ])
    await expect(server.sql.query(`update audit set ${change} where subject_name = 'kept'`)).rejects.toThrow(
      'never changed',
    )
  await server.sql.query("update audit set result = 'error', status = 500 where subject_name = 'kept'")
  await expect(server.sql.query("update audit set result = 'success' where subject_name = 'kept'")).rejects.toThrow(
    'never changed',
  )
})

test('writes one entry per call for sessions and rows', async () => {
  const token = await server.login('project-member')
  const { id: projectId } = server.cast.people['project-member'].project!
  await server.call(session.enterProject, { as: { token }, params: { id: projectId } })
  const made = await server.call(serverGroups.create, { as, body: { name: 'counted', policy: 'affinity' } })
  await server.call(serverGroups.delete, { as, params: { id: made.id } })
  await server.call(session.logout, { as: { token } })
  const { id, name } = server.cast.people['project-member'].user
  const ends = await server.sql.query<Line>('select * from audit order by id desc limit 5')
  expect(ends.toReversed()).toMatchObject([
    { action: 'session.login', subject_id: id, user_name: name, result: 'success' },
    { action: 'session.enterProject', subject_id: projectId, result: 'success' },
    { action: 'server_group.create', subject_id: made.id, subject_name: 'counted', result: 'success' },
    { action: 'server_group.delete', subject_id: made.id, subject_name: 'counted', result: 'success' },
    { action: 'session.logout', result: 'success' },
  ])
  expect(await linesOf('server_group.create', 'counted')).toHaveLength(1)
})
