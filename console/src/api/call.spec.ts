import { afterEach, expect, it, vi } from 'vitest'
import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { setAccessKeeper } from './access'
import { useNotices } from '../notices/notices'
import { notifyError, notifyUnhandledErrors } from '../notices/notify-error'
import { loadTexts, textsNow, type Translate } from '../i18n/use-t'
import { call } from './call'
import { isCancelled, type CallProblem } from './problem'
import { problemText } from './problem-text'

const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  vi.fn((_address: string, _init: RequestInit) =>
    Promise.resolve(new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })),
  )

const problem = (error: Record<string, unknown>) => ({ error: { fields: {}, data: {}, ...error } })

const keeper = {
  scopedToken: () => 'the token',
  onUnauthorized: () => Promise.resolve('give-up' as const),
  onAccessDisabled: () => {},
  onReconfiguration: vi.fn(),
}

afterEach(() => vi.unstubAllGlobals())

async function failed(fetching: unknown, options = {}): Promise<CallProblem> {
  setAccessKeeper(keeper)
  vi.stubGlobal('fetch', fetching)
  return call(sshKeys.view, { params: { id: 'a' } }, options).then(
    () => {
      throw new Error('it succeeded')
    },
    (thrown: unknown) => thrown as CallProblem,
  )
}

it('sends the scoped token, except for unscoped calls [CA-001]', async () => {
  const fetching = answer(200, {})
  setAccessKeeper(keeper)
  vi.stubGlobal('fetch', fetching)
  await call(sshKeys.view, { params: { id: 'a' } })
  await call(sshKeys.view, { params: { id: 'a' } }, { isUnscoped: true })
  const tokens = fetching.mock.calls.map(([, { headers }]) => new Headers(headers).get('x-auth-token'))
  expect(tokens).toEqual(['the token', null])
})

it('reports a 404 with a fixed text, not with the server’s message [ER-007]', async () => {
  const found = await failed(answer(404, problem({ message: 'no such row', err_code: 'not_found' })))
  expect(found.message).toBe('Object you are referring to is not found')
})

it('maps other 4xx responses to validation errors with message, code, fields and data [ER-008] [ER-018]', async () => {
  const [fields, data] = [{ name: ['It is taken'] }, { by: 'vm-1' }]
  for (const status of [400, 402, 405, 408, 409, 410, 412, 413, 415, 422, 423, 429, 431, 451]) {
    const message = `The name is taken (${status})`
    const found = await failed(answer(status, problem({ message, err_code: 'taken', fields, data })))
    expect(found).toMatchObject({ kind: 'validation', message, code: 'taken', fields, data })
  }
})

it('shows one fixed text for every internal server error, regardless of the response body', async () => {
  const said = problem({ message: 'NullPointerException at line 7', err_code: 'internal' })
  for (const status of [500, 501, 502, 503, 504, 507, 599])
    for (const body of [said, '<html>bad gateway</html>', '']) {
      const found = await failed(answer(status, body))
      expect(found).toMatchObject({
        kind: 'server',
        message: 'Internal Server Error. Please contact your system administrator.',
      })
      expect(problemText(found, ((key: string) => key) as Translate<'shell'>)).toBe('problem.server')
    }
})

it('shows why the request to the cloud failed, with the request ID from the cloud’s own logs', async () => {
  const said = problem({
    message: 'The compute service failed (500): Boom',
    err_code: 'engine_unavailable',
    data: { cloud_request_id: 'req-1' },
  })
  const found = await failed(answer(503, said))
  expect(found).toMatchObject({ kind: 'server', message: 'The compute service failed (500): Boom' })
  const t = ((key: string, values: Record<string, string>) => `${key} ${values['reason']}`) as Translate<'shell'>
  expect(problemText(found, t)).toBe('problem.engineUnavailable The compute service failed (500): Boom (req-1)')
})

it('says that the database is not responding and that a change may have been made', async () => {
  const said = problem({ message: 'The database does not answer now.', err_code: 'database_unavailable', data: {} })
  const found = await failed(answer(503, said))
  expect(found).toMatchObject({ kind: 'server', message: 'The database does not answer now.' })
  expect(problemText(found, ((key: string) => key) as Translate<'shell'>)).toBe('problem.databaseUnavailable')
})

it('starts every 5xx message with the same sentence, followed by the reason if it is known [ER-009]', async () => {
  await loadTexts('shell')
  const t = textsNow('shell')
  const sentence = 'Internal Server Error. Please contact your system administrator.'
  const textOf = async (status: number, err_code: string, headers = {}) =>
    problemText(await failed(answer(status, problem({ message: 'Boom', err_code }), headers)), t)
  for (const status of [500, 501, 502, 503, 504, 507, 599]) expect(await textOf(status, 'internal')).toBe(sentence)
  expect(await textOf(503, 'engine_unavailable')).toBe(`${sentence} The engine did not respond as expected: Boom`)
  expect(await textOf(503, 'database_unavailable')).toBe(
    `${sentence} The database is not responding. Before you repeat a change, check whether it was applied.`,
  )
  expect(await textOf(503, 'server_busy', { 'retry-after': '3' })).toBe(
    `${sentence} The server is busy. Try again in 3 seconds.`,
  )
  // rate limiting a single user is not a server error
  expect(await textOf(429, 'too_many_requests', { 'retry-after': '3' })).toBe(
    'The server is busy. Try again in 3 seconds.',
  )
})

it('reports a failed connection as a network problem [ER-010]', async () => {
  const found = await failed(() => Promise.reject(new TypeError('fetch failed')))
  expect(found.kind).toBe('network')
  expect(problemText(found, ((key: string) => key) as Translate<'shell'>)).toBe('problem.network')
})

it('treats an aborted call as cancelled rather than failed [ER-011]', async () => {
  const controller = new AbortController()
  const found = await failed(
    () => {
      controller.abort()
      return Promise.reject(new DOMException('aborted', 'AbortError'))
    },
    { signal: controller.signal },
  )
  expect(isCancelled(found)).toBe(true)
  // a cancelled call shows no notification, either directly or through an unhandled rejection
  notifyError(found)
  expect(useNotices.getState().notices).toEqual([])
  const stop = notifyUnhandledErrors()
  dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason: found }))
  stop()
  expect(useNotices.getState().notices).toEqual([])
  await loadTexts('shell')
  notifyError(await failed(() => Promise.reject(new TypeError('fetch failed'))))
  expect(useNotices.getState().notices).toMatchObject([{ type: 'error' }])
})

it('reports a response that is not JSON [ER-012]', async () => {
  const found = await failed(answer(200, '<html></html>'))
  expect(found.message).toBe('Can not parse payload. Expected JSON')
})

it('removes "(Deprecated field)" from messages [ER-019]', async () => {
  const fields = { name: ['Use at least 2 characters (Deprecated field)'] }
  const found = await failed(
    answer(400, problem({ message: '(Deprecated field) The name is too short', err_code: 'validation', fields })),
  )
  expect(found.message).toBe('The name is too short')
  expect(found.fields).toEqual({ name: ['Use at least 2 characters'] })
})

it('shows the server’s message on a 403 [ER-006]', async () => {
  const found = await failed(answer(403, problem({ message: 'Your role may not do this', err_code: 'forbidden' })))
  expect(found).toMatchObject({ kind: 'forbidden', message: 'Your role may not do this' })
})

it('sends the scoped token, a constant session ID and X-Requested-With [CA-002] [CA-003] [CA-004]', async () => {
  const fetching = answer(200, {})
  setAccessKeeper(keeper)
  vi.stubGlobal('fetch', fetching)
  await call(sshKeys.view, { params: { id: 'a' } })
  await call(sshKeys.view, { params: { id: 'b' } })
  const [first, second] = fetching.mock.calls.map(([, init]) => init.headers as Record<string, string>)
  expect(first).toMatchObject({ 'x-auth-token': 'the token', 'x-requested-with': 'XMLHttpRequest' })
  const id = first!['x-session-id']!
  expect(id).toMatch(/^[0-9a-f]{24}$/)
  expect(second).toMatchObject({ 'x-session-id': id })
  expect([first!['session-id'], second!['session-id']]).toEqual([id, id])
})

it('sends no token for an unscoped call', async () => {
  const fetching = answer(200, {})
  setAccessKeeper(keeper)
  vi.stubGlobal('fetch', fetching)
  await call(sshKeys.view, { params: { id: 'a' } }, { isUnscoped: true })
  expect(fetching.mock.calls[0]![1].headers).not.toHaveProperty('x-auth-token')
})

it('notifies the access keeper when a response carries the reconfiguration header', async () => {
  setAccessKeeper(keeper)
  vi.stubGlobal('fetch', answer(200, {}, { 'x-reconfiguration-state': 'running' }))
  await call(sshKeys.view, { params: { id: 'a' } })
  expect(keeper.onReconfiguration).toHaveBeenCalledOnce()
})
