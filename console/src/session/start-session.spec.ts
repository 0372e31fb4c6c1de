import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { PASSWORD } from '../../../server/src/testing/personas'
import { startServer, type TestServer } from '../../../server/src/testing/start-server'
import { call } from '../api/call'
import { browseTo } from '../testing/browser'
import { freshSession } from '../testing/fresh-session'
import { storageAccessWaitMs } from './embedding'
import { sessionNow, setSession } from './session'
import { signIn } from './sign-in'
import { signOut } from './sign-out'
import { startSession } from './start-session'

const parent = { postMessage: vi.fn() }
let server: TestServer
let stopBrowsing: () => void
beforeAll(async () => {
  server = await startServer({ environment: { MAINSTAY_PARENT_ORIGINS: 'https://portal.example' } })
  vi.stubGlobal('parent', parent)
  stopBrowsing = browseTo(server.url)
  await startSession()
})
afterAll(async () => {
  stopBrowsing()
  vi.unstubAllGlobals()
  await server.close()
  // the listeners live as long as their modules
  vi.resetModules()
})
beforeEach(() => {
  freshSession()
  history.replaceState(null, '', '/')
})

const portal = 'https://portal.example'
const toldTo = (wanted: string) =>
  parent.postMessage.mock.calls.flatMap(([message, origin]) =>
    origin === wanted ? [message as { type: string; state?: string }] : [],
  )
const told = () => toldTo(location.origin)
const member = () => ({ username: server.cast.people['project-member'].user.name, password: PASSWORD, domain: 'alpha' })
const service = async () => {
  // a domain administrator has several projects
  const { user } = server.cast.people['domain-admin']
  await signIn({ username: user.name, password: PASSWORD, domain: 'alpha' })
}

it('announces itself to the embedding page [EV-030]', () => {
  expect(told()).toEqual([{ type: 'init' }])
  // the server has already listed this origin as trusted
  expect(toldTo(portal)).toEqual([{ type: 'init' }])
})

it('reports sign-in and sign-out to the embedding page, without user data [EV-001] [EV-002]', async () => {
  parent.postMessage.mockClear()
  await signIn(member())
  expect(told()).toEqual([{ type: 'authSuccess' }])
  await signOut()
  expect(told()).toEqual([{ type: 'authSuccess' }, { type: 'logout' }])
})

const ask = (source: unknown, type = 'requestStorageAccess', origin = location.origin) =>
  dispatchEvent(new MessageEvent('message', { source: source as Window, origin, data: { type } }))

it.each([
  ['success', () => Promise.resolve()],
  ['error', () => Promise.reject(new Error('refused'))],
])(
  'requests storage access on behalf of the embedding page and reports wait, then %s [EV-031] [EV-032]',
  async (state, answer) => {
    parent.postMessage.mockClear()
    document.requestStorageAccess = answer
    ask(parent)
    await vi.waitFor(() => expect(told()).toHaveLength(2))
    expect(told()).toEqual([
      { type: 'storageAccess', state: 'wait' },
      { type: 'storageAccess', state },
    ])
  },
)

it('waits one second for the browser to respond [CO-037]', async () => {
  expect(storageAccessWaitMs).toBe(1000)
  parent.postMessage.mockClear()
  document.requestStorageAccess = () => new Promise(() => {})
  const asked = performance.now()
  // uses real timers, because the server in this process depends on them
  ask(parent)
  expect(told()).toEqual([{ type: 'storageAccess', state: 'wait' }])
  await vi.waitFor(() => expect(told()).toHaveLength(2), { timeout: 10_000 })
  expect(performance.now() - asked).toBeGreaterThan(998)
  expect(told().at(-1)).toEqual({ type: 'storageAccess', state: 'error' })
})

it('exchanges messages only with its own origin and with origins that the server lists', async () => {
  parent.postMessage.mockClear()
  setSession({ panel: { panel: 'self-service', version: '', parent_origins: [portal] } })
  document.requestStorageAccess = () => Promise.resolve()
  for (const origin of ['https://elsewhere.example', 'https://portal.example.elsewhere.example', 'null', '*', ''])
    ask(parent, 'requestStorageAccess', origin)
  expect(parent.postMessage).not.toHaveBeenCalled()
  ask(parent, 'requestStorageAccess', portal)
  await vi.waitFor(() => expect(told()).toHaveLength(2))
  expect(toldTo(portal)).toEqual(told())
  expect(new Set(parent.postMessage.mock.calls.map(([, origin]) => origin as string))).toEqual(
    new Set([portal, location.origin]),
  )
})

it('ignores other senders and unknown messages', () => {
  parent.postMessage.mockClear()
  ask({})
  ask(parent, 'somethingElse')
  dispatchEvent(
    new MessageEvent('message', { source: parent as unknown as Window, origin: location.origin, data: null }),
  )
  expect(told()).toEqual([])
})

it('redirects to /service-unavailable when a response carries the reconfiguration header [ER-017]', async () => {
  const { fetch: browse, location: here } = globalThis
  const assign = vi.fn<(to: string) => void>()
  const at = (pathname: string) => vi.stubGlobal('location', { pathname, search: '', hash: '', assign })
  const answered = (status: number) => {
    globalThis.fetch = () =>
      Promise.resolve(new Response('{}', { status, headers: { 'x-reconfiguration-state': 'running' } }))
    return call(sshKeys.view, { params: { id: 'a' } }).catch(() => 'refused')
  }
  try {
    at('/compute/volumes')
    for (const status of [200, 404, 503]) await answered(status)
    expect(assign.mock.calls).toEqual([['/service-unavailable'], ['/service-unavailable'], ['/service-unavailable']])
    assign.mockClear()
    // does not navigate when already on that page
    at('/service-unavailable')
    await answered(200)
    expect(assign).not.toHaveBeenCalled()
  } finally {
    globalThis.fetch = browse
    vi.stubGlobal('location', here)
  }
})

it.each(['user', 'project'] as const)(
  'marks access as disabled for the %s when a call is refused for that reason [ST-002]',
  async (kind) => {
    await signIn(member())
    const { setEnabled } = server.tools.identity
    const id = { user: sessionNow().user!.id, project: sessionNow().project!.id }[kind]
    const read = () => call(sshKeys.list, {}).catch((problem: { code: string }) => problem.code)
    await read()
    expect(sessionNow().accessDisabled).toBeNull()
    await setEnabled(kind, id, false)
    expect(await read()).toBe('access_disabled')
    expect(sessionNow().accessDisabled).toBe(kind)
    await setEnabled(kind, id, true)
  },
)

it('enters the project named in the URL, at sign-in or when already signed in [RT-030]', async () => {
  const two = server.cast.projects['alpha-two']!
  const one = server.cast.projects['alpha-one']!
  history.replaceState(null, '', `/login?redirectUrl=${encodeURIComponent(`/compute/volumes?project_id=${two.id}`)}`)
  await service()
  expect(sessionNow().project?.id).toBe(two.id)
  history.replaceState(null, '', `/compute/volumes?project_id=${one.id}`)
  await startSession()
  expect(sessionNow()).toMatchObject({ project: { id: one.id }, meta: { scope: { project_id: one.id } } })
})

it('stays in the current project if the URL names one that cannot be entered', async () => {
  await service()
  const before = sessionNow().project
  history.replaceState(null, '', `/?project_id=${server.cast.projects['beta-one']!.id}`)
  await startSession()
  expect(sessionNow()).toMatchObject({ status: 'signed-in', project: before })
})

it('ends the session when the user signs out in another tab', async () => {
  await signIn(member())
  dispatchEvent(new StorageEvent('storage', { key: 'user', newValue: null }))
  expect(sessionNow()).toMatchObject({ status: 'signed-out', user: null, meta: null })
  setSession({ user: null })
})
