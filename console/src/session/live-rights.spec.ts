import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { Change, SocketLoginReply } from '@mainstay/contract/core/events'
import type { Meta } from '@mainstay/contract/identity/session'
import { paintMs } from '../api/change-flow'
import { queryClient } from '../api/query-client'
import { freshSession } from '../testing/fresh-session'
import { followLive } from './follow-live'
import { setSession } from './session'

/* Covers the path from the socket through the session's permissions to the lists. */

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

/**
 * Shows a list with one row to a user with this permission, sends a change to the row's name, and waits for the paint.
 */
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

/** Expects that the change is ignored and logged. */
async function isLeftOutFor(kind: string, right: string): Promise<void> {
  logins.length = 0
  await tell(kind, right)
  expect(faults).toHaveBeenCalledExactlyOnceWith(`Received a change that this role may not read: ${kind}/a`)
  expect(shown(kind)).toEqual(['old'])
}

it('applies changes to domains only with permission to read a domain [EV-025] [ER-024]', async () => {
  await isWorkedInFor('domain', 'domain')
  await isLeftOutFor('domain', 'domains')
})

it('applies changes to users only with permission to read a user [EV-026]', async () => {
  await isWorkedInFor('user', 'domain_user')
  await isLeftOutFor('user', 'domain_users')
})

it('applies changes to projects only with permission to read a project [EV-027]', async () => {
  await isWorkedInFor('project', 'domain_project')
  await isLeftOutFor('project', 'domain_projects')
})

it('ignores changes to projects without a domain [EV-028]', async () => {
  await isWorkedInFor('project', 'domain_project')
  logins.length = 0
  await tell('project', 'domain_project', null)
  expect(shown('project')).toEqual(['old'])
  expect(faults).not.toHaveBeenCalled()
})
