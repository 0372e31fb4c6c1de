import { volumes } from '@mainstay/contract/storage/volumes'
import { GiB } from '@mainstay/contract/core/bytes'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inFence } from '../tasks/fence'
import { linesOfRequest, plan, rename } from '../testing/acts'
import { PASSWORD } from '../testing/personas'
import { startServer, type TestServer } from '../testing/start-server'
import type { ActPlan } from './acts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const volume = async (name: string) =>
  (await server.call(volumes.create, { as: 'project-member', body: { name, size: GiB } })).id
const begin = (change: ActPlan) => server.tools.audit.begin(change)
const lines = (change: ActPlan) => linesOfRequest(server, change)

/** Makes the database reject a volume with this name at commit. Returns a function that removes the rule. */
async function refuseAtTheEnd(name: string, raise: string): Promise<() => Promise<unknown>> {
  await server.sql.query('create sequence refusals')
  await server.sql.query(`create function refuse_name() returns trigger language plpgsql as
    $$ begin if new.body ->> 'name' = '${name}' then ${raise} end if; return null; end $$`)
  await server.sql.query(`create constraint trigger refuse_name after update on resource deferrable initially deferred
    for each row execute function refuse_name()`)
  return async () => {
    await server.sql.query('drop trigger refuse_name on resource')
    await server.sql.query('drop function refuse_name')
    await server.sql.query('drop sequence refusals')
  }
}

test('writes one entry for an action with several transactions, with the object from the first one', async () => {
  const [one, other] = [await volume('one'), await volume('other')]
  const change = plan()
  await begin(change).run(async () => {
    await rename(server, one, 'one renamed')
    await rename(server, other, 'other renamed')
  })
  expect(await lines(change)).toMatchObject([{ subject_id: one, subject_name: 'one renamed', result: 'success' }])
})

test('writes one entry for a transaction that is retried after a conflict', async () => {
  const id = await volume('met')
  const change = plan()
  const allow = await refuseAtTheEnd('met once', "if nextval('refusals') = 1 then raise sqlstate '40001'; end if;")
  await begin(change).run(() => rename(server, id, 'met once'))
  await allow()
  expect(await lines(change)).toMatchObject([{ subject_name: 'met once', result: 'success' }])
})

test('writes the entry for a successful action whose only change was rolled back', async () => {
  const id = await volume('kept')
  const change = plan()
  const act = begin(change)
  const allow = await refuseAtTheEnd('refused', "raise exception 'refused at the end';")
  await act.run(() => expect(rename(server, id, 'refused')).rejects.toThrow('refused at the end'))
  await allow()
  expect(await lines(change)).toEqual([])
  await act.done({ id, name: 'kept' })
  expect(await lines(change)).toMatchObject([{ subject_id: id, subject_name: 'kept', result: 'success' }])
})

test('writes no entry for a transaction that changes nothing', async () => {
  const id = await volume('looked at')
  const change = plan()
  await begin(change).run(() => server.tools.inventory.transaction((records) => records.lock('volume', id)))
  expect(await lines(change)).toEqual([])
})

test('does not record later work as a success once an action has failed', async () => {
  const id = await volume('later')
  const change = plan()
  const act = begin(change)
  let answer = (): void => undefined
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const later = act.run(() => answered.then(() => rename(server, id, 'renamed later')))
  const failure = { result: 'error' as const, status: 500, error_code: 'unknown', message: 'no' }
  await act.failed({ subject: { kind: 'volume', id, name: null }, ...failure })
  answer()
  await later
  expect(await lines(change)).toMatchObject([{ result: 'error' }])
})

test('writes no entry for a job besides the one for the call that started it', async () => {
  const id = await volume('of a job')
  const change = plan()
  const job = { id: 'job', owner: 'nobody', attempt: 1, isOver: true, onLost: () => undefined }
  await begin(change).run(() => inFence(job, () => rename(server, id, 'renamed by a job')))
  expect(await lines(change)).toEqual([])
})

test('writes no entry before the sign-in has identified the user', async () => {
  const id = await volume('noted')
  const signIn = plan()
  signIn.call.scope = null
  await begin(signIn).run(() => rename(server, id, 'noted meanwhile'))
  expect(await lines(signIn)).toEqual([])
})

test('writes the entries for session changes in the same transaction, so that both survive a crash', async () => {
  const { sessions, consoleTickets, identity } = server.tools
  const { user, domain, project } = server.cast.people['project-member']
  const from = { address: '192.0.2.7', user_agent: 'spec', browser: false, panel: 'admin' as const, request_id: 'spec' }
  /** Runs the work without completing the entry, as after a crash. */
  const done = async <Result>(what: string, work: () => Promise<Result>, scope = plan().call.scope) => {
    const act = plan({ kind: null })
    act.call.scope = scope
    const result = await begin(act).run(work)
    expect(await lines(act), what).toMatchObject([{ result: 'success' }])
    return result
  }
  const login = { username: user.name, password: PASSWORD, domain: domain.name }
  const { token } = await done('a session begins', () => sessions.signIn(login, from), null)
  const signedIn = await sessions.resolve(token, 'spec')
  await done('another token', () => sessions.anotherToken(signedIn))
  await done('a token of a project', () => sessions.enterProject(signedIn, project!.id))
  const ticket = {
    session_id: signedIn.session_id,
    instance_id: 'vm',
    protocol: 'vnc' as const,
    project_id: null,
    panel: 'admin' as const,
  }
  await done('a ticket for a console', () => consoleTickets.issue({ ...ticket, credential_key: null }))
  const next = 'another horse 12'
  const change = { current_password: PASSWORD, new_password: next }
  await done('the sessions of a changed password', () => sessions.changePassword(signedIn, change, from))
  await done('a changed password', () => identity.changePassword(user.id, next, PASSWORD))
  await done('a session ends', () => sessions.signOut(token))
})
