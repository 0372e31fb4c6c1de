import { io } from 'socket.io-client'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { GiB } from '@mainstay/contract/core/bytes'
import { SOCKET_PATH } from '@mainstay/contract/core/events'
import { volumeKind, volumes } from '@mainstay/contract/storage/volumes'
import { startServer, type TestServer } from '../../../server/src/testing/start-server'
import { listKey } from './keys'
import type { LiveSocket } from './live'

const as = 'project-member'
const tabs = 20
const unhurried = { timeout: 60_000, interval: 50 }

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const freshList = () => server.call(volumes.list, { as, query: { sort: 'name:asc' } })
const rowsOf = (pages: { data: { id: string; name: string }[] }[]) =>
  pages.flatMap(({ data }) => data.map(({ id, name }) => `${id} ${name}`)).toSorted()

/** Simulates a tab that shows the list, with its own copies of the console's modules. */
async function openTab() {
  vi.resetModules()
  const [{ startLive }, { useLive }, { queryClient }] = await Promise.all([
    import('./live'),
    import('./live-state'),
    import('./query-client'),
  ])
  const shown = await freshList()
  const key = listKey(volumeKind.name, volumes.list, {}, {})
  queryClient.setQueryData(key, { pages: [shown], pageParams: [''] })
  const connectedAt: number[] = []
  let logins = 0
  let saidOn: string | undefined
  let socket: LiveSocket
  const stop = startLive({
    ...{ token: await server.signIn(as), allTenants: false, mayRead: () => true, start: shown.revision },
    ...{ onSignedOut: () => expect.unreachable(), onAboutToStop: () => expect.unreachable() },
    connect() {
      socket = io(server.url, {
        ...{ path: SOCKET_PATH, transports: ['websocket'], reconnection: false, autoConnect: false, forceNew: true },
      })
      socket.on('connect', () => connectedAt.push(performance.now()))
      socket.onAnyOutgoing((name) => {
        if (name !== 'login') return
        // the login message is resent every second until the server answers; repeats are not counted
        const isAskedAgain = saidOn === socket.id && !useLive.getState().isAuthorized
        if (!isAskedAgain) logins += 1
        saidOn = socket.id
      })
      return socket
    },
  })
  return {
    connectedAt,
    logins: () => logins,
    state: () => useLive.getState(),
    /** Drops the connection without a close message, like a computer going to sleep. */
    sleep: () => socket.io.engine.close(),
    rows: () => rowsOf(queryClient.getQueryData<{ pages: (typeof shown)[] }>(key)!.pages),
    stop,
  }
}

it(`${tabs} tabs on a waking computer reconnect once each, spread over time, and show fresh data`, async () => {
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
  const made = await Promise.all(
    ['kept', 'renamed', 'deleted'].map((name) => server.call(volumes.create, { as, body: { name, size: GiB } })),
  )
  const idOf = (name: string) => made.find((it) => it.name === name)!.id
  await vi.waitFor(async () => {
    for (const { status } of (await freshList()).data) expect(status).toBe('available')
  }, unhurried)

  const all: Awaited<ReturnType<typeof openTab>>[] = []
  for (let at = 0; at < tabs; at++) all.push(await openTab())
  try {
    await vi.waitFor(() => expect(all.every((tab) => tab.state().isAuthorized)).toBe(true), unhurried)
    for (const tab of all) tab.sleep()
    await vi.waitFor(() => expect(all.every((tab) => tab.state().state === 'offline')).toBe(true), unhurried)
    const woken = performance.now()
    // changes made while the tabs are disconnected
    await server.call(volumes.update, { as, params: { id: idOf('renamed') }, body: { name: 'other-name' } })
    await server.call(volumes.delete, { as, params: { id: idOf('deleted') }, query: { permanent: true } })

    await vi.waitFor(() => expect(all.every((tab) => tab.state().isAuthorized)).toBe(true), unhurried)
    const cameBack = all.map(({ connectedAt }) => connectedAt[1]! - woken)
    // each tab reconnected once and signed in once
    expect(all.map(({ connectedAt }) => connectedAt.length)).toEqual(all.map(() => 2))
    expect(all.map((tab) => tab.logins())).toEqual(all.map(() => 2))
    // at most half of the tabs reconnect within the same second
    for (const second of new Set(cameBack.map((ms) => Math.floor(ms / 1000))))
      expect(cameBack.filter((ms) => Math.floor(ms / 1000) === second).length).toBeLessThanOrEqual(tabs / 2)

    hidden.mockReturnValue(false)
    document.dispatchEvent(new Event('visibilitychange'))
    await vi.waitFor(async () => {
      const truth = rowsOf([await freshList()])
      for (const tab of all) expect(tab.rows()).toEqual(truth)
      expect(truth.join()).toContain('other-name')
      expect(truth.join()).not.toContain('deleted')
    }, unhurried)
  } finally {
    for (const tab of all) tab.stop()
    hidden.mockRestore()
  }
}, 120_000)
