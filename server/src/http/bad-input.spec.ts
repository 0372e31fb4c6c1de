import { examplesOf } from '@mainstay/contract/core/example'
import { connect } from 'node:net'
import { allEndpoints } from '@mainstay/contract/resources'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { ProblemBody } from '@mainstay/contract/core/problems'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../testing/start-server'

let server: TestServer
let member: string
beforeAll(async () => {
  server = await startServer()
  member = await server.signIn('project-member')
})
afterAll(() => server.close())

const send = (method: string, path: string, init: RequestInit = {}) =>
  fetch(`${server.url}${path}`, {
    method,
    ...init,
    headers: { 'x-auth-token': member, ...(init.headers as Record<string, string>) },
  })
const post = (path: string, body: string, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  send('POST', path, { body, headers })

/** Sends raw bytes, for requests that an HTTP client would not send. */
const raw = (text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.on('data', (bytes) => (answer += String(bytes)))
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
const requestHead = (line: string, ...more: string[]): string =>
  [line, 'Host: 127.0.0.1', `X-Auth-Token: ${member}`, 'Connection: close', ...more, '', ''].join('\r\n')

const volume = (more: object = {}) => JSON.stringify({ name: 'disk', size: GiB, ...more })
const keys = '/api/v2/compute/keys'
const vols = '/api/v2/compute/volumes'

describe('bad input', () => {
  it.each([
    ['truncated JSON', () => post(keys, '{"name":'), 400, 'unreadable_payload'],
    ['JSON with trailing text', () => post(keys, '{} x'), 400, 'unreadable_payload'],
    ['a prototype in JSON', () => post(keys, '{"__proto__":{"admin":true}}'), 400, 'unreadable_payload'],
    ['a duplicate JSON name', () => post(vols, `{"name":"one","n\\u0061me":"two","size":${GiB}}`), 400, 'validation'],
    [
      'a duplicate name in an inner object',
      () => post(vols, `{"name":"one","size":${GiB},"metadata":{"a":"1","a":"2"}}`),
      400,
      'validation',
    ],
    ['100 000 brackets', () => post(keys, '['.repeat(100_000)), 400, 'validation'],
    ['deep nesting', () => post(keys, `${'['.repeat(50_000)}${']'.repeat(50_000)}`), 400, 'validation'],
    ['2 MiB of JSON', () => post(keys, JSON.stringify({ name: 'x'.repeat(2 * 1024 * 1024) })), 413, 'too_large'],
    ['no body', () => send('POST', keys), 400, 'validation'],
    ['an empty body', () => post(keys, ''), 400, 'validation'],
    ['a list instead of an object', () => post(keys, '[]'), 400, 'validation'],
    ['null', () => post(keys, 'null'), 400, 'validation'],
    [
      'a form',
      () => post(keys, 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }),
      415,
      'unsupported_media',
    ],
    ['text', () => post(keys, '{}', { 'content-type': 'text/plain' }), 415, 'unsupported_media'],
    ['a malformed content type', () => post(keys, '{}', { 'content-type': 'application/json;;;=' }), 400, null],
    ['NUL in a text', () => post(vols, volume({ description: 'a\0b' })), 400, 'validation'],
    [
      'half a surrogate pair',
      () => post(vols, '{"name":"disk","size":1073741824,"description":"\\ud800"}'),
      400,
      'validation',
    ],
    ['an infinite number', () => post(vols, '{"name":"disk","size":1e400}'), 400, 'validation'],
    ['a huge number', () => post(vols, '{"name":"disk","size":1e300}'), 400, 'validation'],
    ['a limit of 0', () => send('GET', `${vols}?limit=0`), 400, 'validation'],
    ['a limit that is not a number', () => send('GET', `${vols}?limit=many`), 400, 'validation'],
    ['a duplicate parameter', () => send('GET', `${vols}?name=a&name=b`), 400, 'validation'],
    ['NUL in a filter', () => send('GET', `${vols}?name=%00`), 400, 'validation'],
    ['an unknown filter', () => send('GET', `${vols}?colour=red`), 400, 'invalid_filter'],
    ['an unknown sort key', () => send('GET', `${vols}?sort=colour`), 400, null],
    ['an invalid marker', () => send('GET', `${vols}?marker=%7B%7D`), 400, 'invalid_marker'],
    ['an invalid encoding', () => send('GET', `${vols}/%zz`), 404, 'not_found'],
    ['a truncated encoding', () => send('GET', `${vols}/%e0%a4`), 404, 'not_found'],
    ['NUL in an id', () => send('GET', `${vols}/a%00b`), 404, 'not_found'],
    ['an id of 300 characters', () => send('GET', `${vols}/${'a'.repeat(300)}`), 404, 'not_found'],
    ['an id of 3 000 characters', () => send('GET', `${vols}/${'a'.repeat(3000)}`), 400, null],
    ['a path outside the folder', () => send('GET', '/assets/..%2f..%2f..%2fpackage.json'), 404, 'not_found'],
    ['an unknown call', () => send('GET', '/api/v2/nothing'), 404, 'unknown_call'],
    ['a method that the call does not have', () => send('DELETE', vols), 404, 'unknown_call'],
    ['a tag with a comma', () => send('PUT', '/api/v2/compute/servers/x/tags/a%2Cb'), 400, 'validation'],
  ] as const)('refuses %s with a standard error', async (_, ask, status, code) => {
    const response = await ask()
    const body = ProblemBody.parse(await response.json())
    expect(response.status).toBe(status)
    if (code) expect(body.error.err_code).toBe(code)
    expect(body.error.request_id).toBe(response.headers.get('x-request-id'))
  })

  it.each([
    ['a URL of 100 000 characters', (): string => requestHead(`GET /${'a'.repeat(100_000)} HTTP/1.1`), 431],
    ['an unknown HTTP method', (): string => requestHead('FETCH /api/v2/meta HTTP/1.1'), 400],
    ['data that is not HTTP', (): string => 'hello\r\n\r\n', 400],
    ['a header without a name', (): string => requestHead('GET /api/v2/meta HTTP/1.1', ': x'), 400],
    ['a control character in a header', (): string => requestHead('GET /api/v2/meta HTTP/1.1', 'X-Any: a\u0001b'), 400],
    ['two tokens', (): string => requestHead('GET /api/v2/meta HTTP/1.1', 'X-Auth-Token: second'), 401],
    [
      'two lengths',
      (): string => requestHead('POST /api/v2/login HTTP/1.1', 'Content-Length: 1', 'Content-Length: 2'),
      400,
    ],
    ['an invalid length', (): string => requestHead('POST /api/v2/login HTTP/1.1', 'Content-Length: many'), 400],
    [
      'a malformed range',
      (): string => requestHead('GET /api/v2/meta HTTP/1.1', 'Range: bytes=-', 'If-None-Match: ",,"'),
      200,
    ],
  ] as const)('does not fail with an internal error on %s on the wire', async (_, text, status) => {
    expect(await raw(text())).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })

  it('names every invalid and unknown field at once, by its dotted path [ER-018]', async () => {
    const body = {
      name: 'x',
      colour: 'red',
      flavor: 'f',
      volumes: [{ source: 'blank', size: 600_000, boot_index: 0, extra: 1 }],
      networks: [{ id: 'n', mac: 'nonsense' }],
    }
    const refusal = await server
      .call(instances.create, { as: { token: member }, body: body as never })
      .catch((error: unknown) => error)
    expect(refusal).toMatchObject({
      code: 'validation',
      fields: {
        name: ['Use at least 2 characters'],
        colour: ['Unknown field'],
        'volumes.0.extra': ['Unknown field'],
        'volumes.0.size': expect.arrayContaining(['Use at least 1 GiB']),
        'networks.0.mac': expect.anything(),
      },
    })
  })

  it('reports a code, fields, data and a message for every failure [ER-018]', async () => {
    const errorOf = async (response: Response) => ((await response.json()) as ProblemBody).error
    const wrong = await errorOf(await post(vols, volume({ size: 'much' })))
    expect(wrong).toEqual({
      ...{ err_code: 'validation', message: 'size: Expected a number', request_id: expect.any(String) },
      data: { field: 'size', reason: 'Expected a number' },
      fields: { size: ['Expected a number'] },
      // key of the translation
      said: { key: 'core.wrong_field', values: { field: 'size', reason: 'Expected a number' } },
      fields_said: { size: [{ key: 'core.wrong_type', values: { expected: 'number' } }] },
    })
    const { id } = server.cast.people['other-member'].user
    const token = await server.signIn('other-member')
    await server.tools.identity.setEnabled('user', id, false)
    const refused = await errorOf(await send('GET', vols, { headers: { 'x-auth-token': token } }))
    await server.tools.identity.setEnabled('user', id, true)
    expect(refused).toMatchObject({ err_code: 'access_disabled', message: expect.stringMatching(/\w/), fields: {} })
    expect(refused.data).toMatchObject({ subject: 'user' })
    const gone = await errorOf(await send('GET', `${vols}/gone`))
    expect(gone).toMatchObject({ err_code: 'not_found', message: 'Object you are referring to is not found' })
    expect([gone.fields, gone.data]).toEqual([{}, {}])
  })

  it('refuses unknown fields in every request body', async () => {
    const open = Object.entries(allEndpoints).flatMap(([area, table]) =>
      Object.entries(
        table as Record<
          string,
          { body?: { safeParse(input: unknown): { success: boolean; error?: { issues: { code: string }[] } } } }
        >,
      )
        .filter(([, { body }]) => body)
        .filter(([, { body }]) => {
          // a domain property accepts any JSON
          if (body === allEndpoints.domainProperties.update.body) return false
          // this schema names every field in order to refuse it
          if (body === allEndpoints.s3Deployment.change.body) return false
          const right = examplesOf(body as never).map((example) => ({ ...(example as object), stranger: 1 }))
          // one body is an array
          return ![{ stranger: 1 }, [{ stranger: 1 }], ...right].some((sent) =>
            body!.safeParse(sent).error?.issues.some(({ code }) => code === 'unrecognized_keys'),
          )
        })
        .map(([name]) => `${area}.${name}`),
    )
    expect(open).toEqual([])
  })
})
