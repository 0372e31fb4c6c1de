import { QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Change, SocketLogin, SocketLoginReply } from '@mainstay/contract/core/events'
import { paintMs, paintsAtOnce } from './change-flow'
import { reconnectMs, spreadMs, startLive, type LiveSocket } from './live'
import { useLive } from './live-state'
import { queryClient } from './query-client'

type Handler = (argument?: unknown) => void

/** A fake socket; the test acts as the server. */
function fakeSocket() {
  const handlers = new Map<string, Handler>()
  const logins: { login: SocketLogin; answer: (reply: SocketLoginReply) => void }[] = []
  const socket = {
    connected: false,
    active: false,
    connects: 0,
    on: (name: string, handler: Handler) => handlers.set(name, handler),
    emit: (_name: string, login: SocketLogin, answer: (reply: SocketLoginReply) => void) =>
      logins.push({ login, answer }),
    connect() {
      socket.connects++
      socket.connected = true
      handlers.get('connect')?.()
    },
    disconnect() {
      socket.connected = false
    },
  }
  return { socket, logins, say: (name: string, argument?: unknown) => handlers.get(name)?.(argument) }
}

let fake: ReturnType<typeof fakeSocket>
let stop = () => {}
const onSignedOut = vi.fn()
const onAboutToStop = vi.fn()
const mayRead = vi.fn(() => true)
const faults = vi.spyOn(console, 'error').mockImplementation(() => {})

const start = (revision: number | null = 10, allTenants = true) => {
  stop = startLive({
    token: 'token',
    allTenants,
    mayRead,
    start: revision,
    onSignedOut,
    onAboutToStop,
    connect: () => fake.socket as unknown as LiveSocket,
  })
}
const reply = (code: number, part: Partial<SocketLoginReply> = {}) =>
  fake.logins.at(-1)!.answer({ code, message: '', revision: 10, resync: false, ...part })
const put = (part: Partial<Change>): Change => ({
  revision: 11,
  kind: 'key',
  id: 'a',
  op: 'put',
  project_id: null,
  domain_id: null,
  at: '',
  entity: { id: 'a', name: 'new name' },
  ...part,
})
const listKey = ['list', 'key', '/keys', {}, {}]
const shownNames = () =>
  queryClient
    .getQueryData<{ pages: { data: { name: string }[] }[] }>(listKey)!
    .pages.flatMap(({ data }) => data.map(({ name }) => name))

beforeEach(() => {
  vi.useFakeTimers()
  vi.clearAllMocks()
  mayRead.mockReturnValue(true)
  fake = fakeSocket()
  queryClient.clear()
  queryClient.setQueryData(listKey, {
    pages: [{ data: [{ id: 'a', name: 'old name' }], pages: [], count: 1, revision: 10 }],
    pageParams: [''],
  })
})
afterEach(() => {
  stop()
  vi.useRealTimers()
})

it('requires a scoped token [EV-012]', () => {
  expect(() => startLive({ token: '', allTenants: false, mayRead, start: 5, onSignedOut, onAboutToStop })).toThrow(
    'token',
  )
})

it('sends the login once per second, up to three times, then reconnects after 5 s [EV-008]', () => {
  start()
  for (const count of [1, 2, 3]) {
    expect(fake.logins).toHaveLength(count)
    vi.advanceTimersByTime(999)
    expect(fake.logins).toHaveLength(count)
    expect([fake.socket.connected, useLive.getState().state]).toEqual([true, 'connecting'])
    vi.advanceTimersByTime(1)
  }
  expect(fake.logins).toHaveLength(3)
  expect([fake.socket.connected, useLive.getState().state]).toEqual([false, 'offline'])
  vi.advanceTimersByTime(4999)
  expect(fake.socket.connects).toBe(1)
  vi.advanceTimersByTime(1)
  expect([fake.socket.connects, fake.logins.length]).toEqual([2, 4])
})

it('reports whether it is connected and whether it is authorized [EV-007]', () => {
  start()
  expect(useLive.getState()).toMatchObject({ isConnected: true, isAuthorized: false })
  reply(200)
  expect(useLive.getState()).toMatchObject({ isConnected: true, isAuthorized: true, state: 'live' })
  fake.say('disconnect', 'transport close')
  expect(useLive.getState()).toMatchObject({ isConnected: false, isAuthorized: false })
  // after a reconnect, the connection is not authorized until the server confirms the login again
  vi.advanceTimersByTime(reconnectMs)
  expect(useLive.getState()).toMatchObject({ isConnected: true, isAuthorized: false })
})

it('subscribes to all tenants or to one, depending on the scope [EV-024]', () => {
  for (const allTenants of [true, false]) {
    fake = fakeSocket()
    start(10, allTenants)
    expect(fake.logins[0]!.login).toMatchObject({ token: 'token', all_tenants: allTenants })
    stop()
  }
})

it('stores the outage that the server reports and clears it on sign-out', () => {
  start()
  reply(200)
  const outage = { since: '2026-11-21T14:03:00.000Z', parts: ['compute'] }
  fake.say('outage', outage)
  expect(useLive.getState().outage).toEqual(outage)
  stop()
  expect(useLive.getState().outage).toBeNull()
})

it('disconnects and reports a sign-out when the server rejects the token', () => {
  start()
  reply(401)
  expect(onSignedOut).toHaveBeenCalledOnce()
  expect(fake.socket.connected).toBe(false)
})

it.each([500, 502, 503, 599])('disconnects on server error %d and reconnects after 5 s [EV-011]', (code) => {
  start()
  reply(code)
  expect(fake.socket.connected).toBe(false)
  vi.advanceTimersByTime(4999)
  expect(fake.socket.connects).toBe(1)
  vi.advanceTimersByTime(1)
  expect(fake.socket.connects).toBe(2)
})

it('applies a change to the list within one paint interval', () => {
  start()
  reply(200)
  fake.say('changes', [put({})])
  vi.advanceTimersByTime(100)
  expect(shownNames()).toEqual(['new name'])
})

it('ignores a change that is older than the list', () => {
  start()
  reply(200)
  fake.say('changes', [put({ revision: 9 })])
  vi.advanceTimersByTime(100)
  expect(shownNames()).toEqual(['old name'])
})

/**
 * Starts a query for a list or view and sends a change before the response arrives. Returns a function that sends the
 * response.
 */
async function changeWhileAsking(queryKey: readonly unknown[]) {
  let reply = (_: unknown) => {}
  const queryFn = () => new Promise((resolve) => (reply = resolve))
  const asking =
    queryKey[0] === 'list'
      ? queryClient.fetchInfiniteQuery({ queryKey, queryFn, initialPageParam: '', staleTime: 0 })
      : queryClient.fetchQuery({ queryKey, queryFn })
  await vi.advanceTimersByTimeAsync(0)
  fake.say('changes', [put({})])
  await vi.advanceTimersByTimeAsync(paintMs)
  return (answer: unknown) => {
    reply(answer)
    return asking
  }
}

it('keeps a change that arrived while a list was loading if the response is older', async () => {
  start()
  reply(200)
  const answer = await changeWhileAsking(listKey)
  await answer({ data: [{ id: 'a', name: 'old name' }], pages: [], count: 1, revision: 10 })
  expect(shownNames()).toEqual(['new name'])
})

it('does not apply such a change to a response that already includes it', async () => {
  start()
  reply(200)
  const answer = await changeWhileAsking(listKey)
  await answer({ data: [{ id: 'a', name: 'newer still' }], pages: [], count: 1, revision: 12 })
  expect(shownNames()).toEqual(['newer still'])
})

it('keeps a change that arrived while a view was loading', async () => {
  start()
  reply(200)
  const viewKey = ['view', 'key', '/keys/:id', { id: 'a' }, {}]
  const answer = await changeWhileAsking(viewKey)
  await answer({ id: 'a', name: 'old name' })
  expect(queryClient.getQueryData(viewKey)).toMatchObject({ name: 'new name' })
})

it('removes a deleted row and decrements the count', () => {
  start()
  reply(200)
  fake.say('changes', [put({ op: 'remove', entity: null })])
  vi.advanceTimersByTime(100)
  expect(shownNames()).toEqual([])
  expect(queryClient.getQueryData<{ pages: { count: number }[] }>(listKey)!.pages[0]!.count).toBe(0)
})

it('paints batches on arrival, without batching them again', () => {
  start()
  reply(200)
  for (const [index, name] of ['first', 'second'].entries()) {
    fake.say('changes', [put({ revision: 20 + index, entity: { id: 'a', name } })])
    vi.advanceTimersByTime(0)
    expect(shownNames()).toEqual([name])
    // batches arrive closer together if one of them is late
    vi.advanceTimersByTime(60)
  }
})

it('paints at most ten times per second during a burst of changes', () => {
  start()
  reply(200)
  const paints = vi.fn()
  const unsubscribe = queryClient.getQueryCache().subscribe(({ type }) => type === 'updated' && paints())
  for (let index = 0; index < 500; index++) {
    fake.say('changes', [put({ revision: 11 + index, entity: { id: 'a', name: `name ${index}` } })])
    vi.advanceTimersByTime(2)
  }
  vi.advanceTimersByTime(paintMs)
  unsubscribe()
  expect(paints.mock.calls.length).toBeLessThanOrEqual(10 + paintsAtOnce)
  expect(shownNames()).toEqual(['name 499'])
})

it('resumes from the last revision received', () => {
  start()
  reply(200)
  fake.say('changes', [put({ revision: 25 })])
  fake.say('disconnect', 'transport close')
  vi.advanceTimersByTime(5000)
  expect(fake.logins.at(-1)!.login.since).toBe(25)
})

it('applies changes made between a view’s response and the subscription', async () => {
  const viewKey = ['view', 'key', '/keys/:id', { id: 'a' }, {}]
  const ask = vi.fn(() => Promise.resolve({ id: 'a', name: 'old name' }))
  await queryClient.fetchQuery({ queryKey: viewKey, queryFn: ask })
  start(7)
  expect(fake.logins[0]!.login.since).toBe(7)
  reply(200, { revision: 7 })
  fake.say('changes', [put({ revision: 8 })])
  vi.advanceTimersByTime(paintMs)
  expect(queryClient.getQueryData(viewKey)).toMatchObject({ name: 'new name' })
  expect(ask).toHaveBeenCalledOnce()
})

it('refetches visible queries once if the server did not report a start revision', async () => {
  const viewKey = ['view', 'key', '/keys/:id', { id: 'a' }, {}]
  let name = 'old name'
  const ask = vi.fn(() => Promise.resolve({ id: 'a', name }))
  const shown = new QueryObserver(queryClient, { queryKey: viewKey, queryFn: ask })
  const leave = shown.subscribe(() => {})
  await vi.advanceTimersByTimeAsync(0)
  name = 'new name'
  start(null)
  reply(200)
  await vi.advanceTimersByTimeAsync(0)
  expect(shown.getCurrentResult().data).toMatchObject({ name: 'new name' })
  expect(useLive.getState().state).toBe('live')
  fake.say('disconnect', 'transport close')
  await vi.advanceTimersByTimeAsync(reconnectMs)
  reply(200)
  await vi.advanceTimersByTimeAsync(0)
  expect(ask).toHaveBeenCalledTimes(2)
  leave()
})

it('reconnects after a random delay in a hidden tab, and does not refetch until the tab becomes visible', async () => {
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
  const ask = vi.fn(() => Promise.resolve({ id: 'a', name: 'old name' }))
  const viewKey = ['view', 'key', '/keys/:id', { id: 'a' }, {}]
  const shown = new QueryObserver(queryClient, { queryKey: viewKey, queryFn: ask })
  const leave = shown.subscribe(() => {})
  start()
  reply(200)
  fake.say('disconnect', 'transport close')
  const { connects } = fake.socket
  await vi.advanceTimersByTimeAsync(reconnectMs + spreadMs / 2 - 1)
  expect(fake.socket.connects).toBe(connects)
  await vi.advanceTimersByTimeAsync(1)
  expect(fake.socket.connects).toBe(connects + 1)
  ask.mockClear()
  // the tab slept for longer than the server retains changes
  reply(200, { revision: 5000, resync: true })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(ask).not.toHaveBeenCalled()
  expect(useLive.getState().state).toBe('live')
  hidden.mockReturnValue(false)
  document.dispatchEvent(new Event('visibilitychange'))
  await vi.advanceTimersByTimeAsync(0)
  expect(ask).toHaveBeenCalledOnce()
  leave()
  hidden.mockRestore()
  random.mockRestore()
})

it('catches up when the tab becomes visible again', () => {
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
  start()
  reply(200)
  fake.say('changes', [put({})])
  vi.advanceTimersByTime(1000)
  expect(shownNames()).toEqual(['old name'])
  hidden.mockReturnValue(false)
  document.dispatchEvent(new Event('visibilitychange'))
  expect(shownNames()).toEqual(['new name'])
  hidden.mockRestore()
})

it('applies only changes that the user may read and logs the others as errors [EV-020] [EV-022]', () => {
  mayRead.mockReturnValue(false)
  start()
  reply(200)
  fake.say('changes', [put({})])
  vi.advanceTimersByTime(200)
  expect(shownNames()).toEqual(['old name'])
  expect(faults).toHaveBeenCalledOnce()
})

it('updates network lists when networks change [EV-017]', () => {
  const key = ['list', 'network', '/networks', {}, {}]
  queryClient.setQueryData(key, {
    pages: [{ data: [{ id: 'n', name: 'old', status: 'BUILD' }], pages: [], count: 1, revision: 10 }],
    pageParams: [''],
  })
  start()
  reply(200)
  fake.say('changes', [put({ kind: 'network', id: 'n', entity: { id: 'n', name: 'new', status: 'ACTIVE' } })])
  vi.advanceTimersByTime(paintMs)
  expect(queryClient.getQueryData(key)).toMatchObject({ pages: [{ data: [{ name: 'new', status: 'ACTIVE' }] }] })
  expect(faults).not.toHaveBeenCalled()
})

it.each(['spaceship', 'constructor'])('logs a change to the unknown kind %s as an error [EV-021] [EV-023]', (kind) => {
  start()
  reply(200)
  fake.say('changes', [put({ kind, id: 'one' })])
  expect(faults).toHaveBeenCalledOnce()
  expect(faults.mock.calls[0]![0]).toContain(`unknown kind: ${kind}/one`)
})

it('forwards the announcement that the server is about to stop', () => {
  start()
  reply(200)
  fake.say('about-to-stop')
  expect(onAboutToStop).toHaveBeenCalledOnce()
})
