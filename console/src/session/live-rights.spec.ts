import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { Change, SocketLoginReply } from '@mainstay/contract/core/events'
import type { Meta } from '@mainstay/contract/identity/session'
import { paintMs } from '../api/change-flow'
import { queryClient } from '../api/query-client'
import { freshSession } from '../testing/fresh-session'
import { followLive } from './follow-live'
import { setSession } from './session'

/* From the socket, through the rights of the session, into the lists. */

const { handlers, logins } = vi.hoisted(() => ({
  handlers: new Map<string, (argument?: unknown) => void>(),
  logins: [] as ((reply: SocketLoginReply) => void)[],
}))
vi.mock('socket.io-client', () => {
  const socket = {
    on: (name: string, handler: () => void) => handlers.set(name, handler),
    emit: (_name: string, _login: unknown, answer: (reply: SocketLoginReply) => void) => logins.push(answer),
    connect: () => handlers.get('connect')?.(),
    disconnect: () => undefined,
  }
  return { io: () => socket }
})
const faults = vi.spyOn(console, 'error').mockImplementation(() => {})

let count = 0
beforeAll(() => followLive())
beforeEach(() => {
  freshSession()
  queryClient.clear()
  faults.mockClear()
  logins.length = 0
})

const listOf = (kind: string) => ['list', kind, `/${kind}`, {}, {}]
const shown = (kind: string) =>
  queryClient
    .getQueryData<{ pages: { data: { name: string }[] }[] }>(listOf(kind))!
    .pages.flatMap(({ data }) => data.map(({ name }) => name))

/** A list of one row is shown to who may read this, the row is told to have another name, and what is worked in is painted. */
async function tell(kind: string, resource: string, domain_id: string | null = 'd'): Promise<void> {
  queryClient.setQueryData(listOf(kind), {
    pages: [{ data: [{ id: 'a', name: 'old' }], pages: [], count: 1, revision: 10 }],
    pageParams: [''],
  })
  const permissions = { [resource]: { name: resource, methods: ['GET'] } }
  const meta = { permissions, scope: { kind: 'system' }, revision: 10 } as unknown as Meta
  setSession({ status: 'signed-in', scopedToken: `token ${String(++count)}`, meta })
  await vi.waitFor(() => expect(logins).toHaveLength(1))
  logins[0]!({ code: 200, message: '', revision: 10, resync: false })
  const change: Change = {
    ...{ revision: 11, kind, id: 'a', op: 'put', project_id: null, domain_id, at: '' },
    entity: { id: 'a', name: 'new' },
  }
  vi.useFakeTimers()
  handlers.get('changes')!([change])
  vi.advanceTimersByTime(paintMs)
  vi.useRealTimers()
}

async function isWorkedInFor(kind: string, right: string): Promise<void> {
  await tell(kind, right)
  expect(shown(kind)).toEqual(['new'])
  expect(faults).not.toHaveBeenCalled()
}

/** It is not, and the browser's log says so. */
async function isLeftOutFor(kind: string, right: string): Promise<void> {
  logins.length = 0
  await tell(kind, right)
  expect(faults).toHaveBeenCalledExactlyOnceWith(`A change that this role may not read: ${kind}/a`)
  expect(shown(kind)).toEqual(['old'])
}

it('a change of a domain is worked in for who may read a domain, and is a fault for others [EV-025] [ER-024]', async () => {
  await isWorkedInFor('domain', 'domain')
  await isLeftOutFor('domain', 'domains')
})

it('a change of a user is worked in for who may read a user, and is a fault for others [EV-026]', async () => {
  await isWorkedInFor('user', 'domain_user')
  await isLeftOutFor('user', 'domain_users')
})

it('a change of a project is worked in for who may read a project, and is a fault for others [EV-027]', async () => {
  await isWorkedInFor('project', 'domain_project')
  await isLeftOutFor('project', 'domain_projects')
})

it('a change of a project is worked in when it says a domain, and not when it says none [EV-028]', async () => {
  await isWorkedInFor('project', 'domain_project')
  logins.length = 0
  await tell('project', 'domain_project', null)
  expect(shown('project')).toEqual(['old'])
  expect(faults).not.toHaveBeenCalled()
})
