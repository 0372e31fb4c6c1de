import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Meta } from '@mainstay/contract/identity/session'
import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { call } from '../api/call'
import { freshSession, keepAccess } from '../testing/fresh-session'
import { sessionNow, setSession } from './session'

const user = { id: 'u', name: 'mo', email: null, domain_id: 'd', domain_name: 'd', project_id: 'p' } as never
const meta = { permissions: {}, scope: { kind: 'project' } } as unknown as Meta

/** Rejects every call with 401, except the user and sign-in endpoints, which return the given statuses. */
function refuse(whoami: number, enterProject = 404) {
  const asked: string[] = []
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(address)
    const status = address.includes('whoami') ? whoami : address.includes('/auth') ? enterProject : 401
    const body = status === 200 ? { token: 'fresh', id: 'u' } : { error: { message: 'no', err_code: 'x' } }
    return Promise.resolve(new Response(JSON.stringify(body), { status }))
  })
  return asked
}
const read = () => call(sshKeys.view, { params: { id: 'a' } }).catch(() => 'refused')

beforeEach(() => {
  freshSession()
  keepAccess()
  setSession({ status: 'signed-in', user, scopedToken: 'old', project: { id: 'p', name: 'one' }, meta })
})
afterEach(() => vi.unstubAllGlobals())

it('checks access after a 401 [ER-001]', async () => {
  const asked = refuse(403)
  await read()
  expect(asked.some((address) => address.endsWith('/accounts/whoami'))).toBe(true)
})

it('signs out when the user no longer exists [ER-002]', async () => {
  refuse(404)
  await read()
  expect(sessionNow()).toMatchObject({ status: 'signed-out', user: null, scopedToken: null })
})

it('treats a 403 as access disabled for the user [ER-003]', async () => {
  refuse(403)
  await read()
  expect(sessionNow().accessDisabled).toBe('user')
})

it('treats any other status as access disabled for the project [ER-004]', async () => {
  for (const status of [200, 400, 409, 429, 500, 503]) {
    setSession({ accessDisabled: null })
    refuse(status)
    await read()
    expect(sessionNow().accessDisabled, String(status)).toBe('project')
  }
})

it('retries with a new token if the project can still be entered', async () => {
  const asked = refuse(200, 200)
  await read()
  expect(sessionNow()).toMatchObject({ scopedToken: 'fresh', accessDisabled: null })
  expect(asked.filter((address) => address.includes('/compute/keys/'))).toHaveLength(2)
})

it('uses the token that another tab obtained for the same project, without a check', async () => {
  const asked = refuse(200, 200)
  localStorage.setItem('scopedToken', 'of another tab')
  const tokens: (string | null)[] = []
  const refusing = fetch
  vi.stubGlobal('fetch', (address: string, options: RequestInit) => {
    tokens.push(new Headers(options.headers).get('x-auth-token'))
    return refusing(address, options)
  })
  await read()
  expect(tokens).toEqual(['old', 'of another tab'])
  expect(asked.filter((address) => address.includes('whoami'))).toEqual([])
})

it('does not use a token for another project or another user', async () => {
  for (const [key, value] of [
    ['currentProject', { id: 'q', name: 'two' }],
    ['user', { id: 'somebody else' }],
  ] as const) {
    setSession({ scopedToken: 'old' })
    const asked = refuse(200, 200)
    localStorage.setItem('scopedToken', 'of another place')
    localStorage.setItem(key, JSON.stringify(value))
    await read()
    expect(sessionNow().scopedToken, key).toBe('fresh')
    expect(asked.some((address) => address.includes('whoami'))).toBe(true)
  }
})

it('runs one check for all calls that fail at the same time', async () => {
  const asked = refuse(403)
  await Promise.all([read(), read(), read()])
  expect(asked.filter((address) => address.includes('whoami'))).toHaveLength(1)
})

it('shows the sign-in form over the page when the session expires, and lets the call wait for it', async () => {
  refuse(401)
  let isSettled = false
  const reading = read().then(() => (isSettled = true))
  await vi.waitFor(() => expect(sessionNow().isExpired).toBe(true))
  expect(isSettled).toBe(false)
  setSession({ isExpired: false, scopedToken: 'new' })
  await reading
})

it('signs out immediately if no page has been shown yet', async () => {
  setSession({ meta: null })
  refuse(401)
  await read()
  expect(sessionNow().status).toBe('signed-out')
})
