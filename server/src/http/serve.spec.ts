import { allEndpoints } from '@mainstay/contract/resources'
import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { flavors } from '@mainstay/contract/compute/flavors'
import { images } from '@mainstay/contract/compute/images'
import { quotas } from '@mainstay/contract/compute/quotas'
import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { tasks } from '@mainstay/contract/core/tasks'
import type { ProblemBody } from '@mainstay/contract/core/problems'
import { GiB } from '@mainstay/contract/core/bytes'
import { session } from '@mainstay/contract/identity/session'
import { volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startServer, type TestServer } from '../testing/start-server'

let server: TestServer
let member: string
const logged: { fields: Record<string, unknown>; message: string }[] = []
beforeAll(async () => {
  const note = (fields: object, message: string) =>
    void logged.push({ fields: fields as Record<string, unknown>, message })
  server = await startServer({
    uploadTimeoutMs: 300,
    log: { debug: note, info: note, warn: note, error: note },
  })
  member = await server.signIn('project-member')
  // scheduled jobs would use up the answers of mocked functions
  await server.tools.scheduler.close()
})
afterAll(() => server.close())

const send = (method: string, path: string, init: RequestInit = {}) =>
  fetch(`${server.url}${path}`, {
    method,
    ...init,
    headers: { 'x-auth-token': member, ...(init.headers as Record<string, string>) },
  })
const json = { 'content-type': 'application/json' }

const vols = '/api/v2/compute/volumes'

describe('responses', () => {
  it('are the same with a trailing slash in the path', async () => {
    expect((await send('GET', '/api/v2/accounts/whoami/')).status).toBe(200)
    expect((await send('GET', `${vols}/?limit=1`)).status).toBe(200)
  })

  it('are the same with repeated slashes in the path, whether the caller is authorized or not', async () => {
    const ask = async (path: string, token: string | null = member) => {
      const answer = await fetch(`${server.url}${path}`, { headers: token === null ? {} : { 'x-auth-token': token } })
      const { error, ...body } = (await answer.json()) as { error?: { err_code: string }; revision?: number }
      return [answer.status, error?.err_code ?? Object.keys(body).toSorted()]
    }
    const double = (path: string) => path.replaceAll('/', '//')
    const mounted = '/api/agent_direct/node-1/lca'
    for (const path of [vols, `${vols}/gone`, '/api/v2/domains', '/api/v2/nodes', '/api/v2/nothing'])
      for (const token of [member, null, 'F'.repeat(43)]) {
        const plain = await ask(path, token)
        expect(await ask(double(path), token), path).toEqual(plain)
        expect(await ask(`${path}//`, token), path).toEqual(plain)
        expect(await ask(`${mounted}${double(path)}`, token), path).toEqual(plain)
      }
    // slashes within an ID and in the query are significant
    expect(await ask(`${vols}/a%2F%2Fb`)).toEqual([404, 'not_found'])
    expect(await ask(`${vols}?name=//&limit=1`)).toEqual(await ask(`${vols}?limit=1`))
    // an agent's prefix must match exactly
    expect(await ask(`/api//agent_direct/node-1/lca${vols}`)).toEqual([404, 'unknown_call'])
  })

  it('are the same under an agent’s prefix [RT-031]', async () => {
    const response = await send('GET', '/api/agent_direct/node-1/lca/api/v2/accounts/whoami')
    expect(await response.json()).toMatchObject({ name: 'project_member' })
    const login = await server.fetch(session.login, {
      body: { username: 'admin', password: 'correct horse 12' },
    })
    expect(login.headers.get('set-cookie')).toContain('Path=/;')
    const below = await fetch(`${server.url}/api/agent_direct/node-1/lca/api/v2/login`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ username: 'admin', password: 'correct horse 12' }),
    })
    expect(below.headers.get('set-cookie')).toContain('Path=/api/agent_direct/node-1/lca;')
  })

  it('have no body for HEAD, and list the allowed methods for OPTIONS', async () => {
    const response = await send('HEAD', vols)
    expect([response.status, await response.text()]).toEqual([200, ''])
    const options = await send('OPTIONS', `${vols}/x`)
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'OPTIONS, GET, HEAD, PATCH, PUT, DELETE'])
  })

  it('carry a request ID, which is the client’s own if it is well-formed', async () => {
    const own = await send('GET', '/api/v2/meta', { headers: { 'x-request-id': 'from-me-12345' } })
    expect(own.headers.get('x-request-id')).toBe('from-me-12345')
    const odd = await send('GET', '/api/v2/meta', { headers: { 'x-request-id': '"; drop table' } })
    expect(odd.headers.get('x-request-id')).toMatch(/^req-[0-9a-f-]{36}$/)
  })

  it('name the panel without requiring a sign-in', async () => {
    expect(await (await fetch(`${server.url}/api/v2/panel`)).json()).toMatchObject({ panel: 'self-service' })
    expect(await (await fetch(`${server.adminUrl}/api/v2/panel`)).json()).toMatchObject({ panel: 'admin' })
  })

  it('do not reveal whether a missing object belongs to another tenant', async () => {
    const mine = await server.call(volumes.create, { as: { token: member }, body: { name: 'mine', size: GiB } })
    const theirs = await server.fetch(volumes.view, { as: 'other-member', params: { id: mine.id } })
    const nobodys = await server.fetch(volumes.view, { as: 'other-member', params: { id: 'no-such-volume' } })
    const [one, other] = (await Promise.all([theirs.json(), nobodys.json()])) as ProblemBody[]
    expect([theirs.status, nobodys.status]).toEqual([404, 404])
    expect({ ...one!.error, request_id: '' }).toEqual({ ...other!.error, request_id: '' })
  })

  it('hide an internal error behind a request ID that identifies its stack trace in the log', async () => {
    const spy = vi.spyOn(server.tools.inventory, 'list').mockRejectedValueOnce(new Error('the password is 1234'))
    const response = await send('GET', vols)
    const { error } = (await response.json()) as ProblemBody
    spy.mockRestore()
    expect(response.status).toBe(500)
    expect(error).toMatchObject({
      message: 'Internal Server Error. Please contact your system administrator.',
      err_code: 'unknown',
    })
    const line = logged.find(({ fields }) => fields['request_id'] === error.request_id && fields['err'])
    expect((line!.fields['err'] as Error).stack).toContain('the password is 1234')
  })

  it('that do not match the contract are internal errors', async () => {
    const spy = vi.spyOn(server.tools.inventory, 'list').mockResolvedValueOnce({ data: [{ id: 1 }] } as never)
    expect((await send('GET', vols)).status).toBe(500)
    spy.mockRestore()
  })
})

describe('concurrent changes', () => {
  it('with the same If-Match succeed once and are refused after that', async () => {
    const { id } = await server.call(volumes.create, { as: { token: member }, body: { name: 'both', size: GiB } })
    await vi.waitFor(async () => {
      const { status } = await server.call(volumes.view, { as: { token: member }, params: { id } })
      expect(status).toBe('available')
    })
    const etag = (await server.fetch(volumes.view, { as: { token: member }, params: { id } })).headers.get('etag')!
    const rename = (name: string) =>
      server.fetch(volumes.update, {
        as: { token: member },
        params: { id },
        body: { name },
        headers: { 'if-match': etag },
      })
    const answers = await Promise.all(['left', 'right', 'middle'].map(rename))
    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(['200', '412', '412'])
    const refused = (await answers.find(({ status }) => status === 412)!.json()) as ProblemBody
    expect(refused.error.err_code).toBe('changed_meanwhile')
    const winner = (await answers.find(({ status }) => status === 200)!.json()) as { name: string }
    expect((await server.call(volumes.view, { as: { token: member }, params: { id } })).name).toBe(winner.name)
  })

  it('a request for an unchanged list gets a 304 response', async () => {
    const first = await send('GET', `${vols}?limit=1`)
    const again = await send('GET', `${vols}?limit=1`, { headers: { 'if-none-match': first.headers.get('etag')! } })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const other = await server.fetch(volumes.list, {
      as: 'other-member',
      query: { limit: 1 },
      headers: { 'if-none-match': first.headers.get('etag')! },
    })
    expect(other.status).toBe(200)
  })

  it.each(['PATCH', 'PUT'])('%s changes the given fields and keeps all other fields [CA-012]', async (verb) => {
    const { id } = await server.call(volumes.create, { as: { token: member }, body: { name: 'before', size: GiB } })
    await vi.waitFor(async () => {
      expect((await server.call(volumes.view, { as: { token: member }, params: { id } })).status).toBe('available')
    })
    const response = await send(verb, `${vols}/${id}`, { body: JSON.stringify({ name: 'after' }), headers: json })
    expect(await response.json()).toMatchObject({ name: 'after' })
    const kept = await server.call(volumes.view, { as: { token: member }, params: { id } })
    expect(kept).toMatchObject({ name: 'after', size: GiB })
  })
})

describe('uploads', () => {
  const name = { 'x-hci-image-name': btoa('picture') }

  it('that stall are aborted and leave nothing behind', async () => {
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1000)) })
    const response = await fetch(`${server.url}${images.create.path}`, {
      method: 'POST',
      headers: { 'x-auth-token': await server.signIn('superuser'), ...name },
      body,
      duplex: 'half',
    } as RequestInit)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { message: 'The upload timed out because no data arrived' } })
    expect((await server.call(images.list, { as: 'superuser' })).data).toEqual([])
  })

  it('that are interrupted leave nothing behind', async () => {
    const abort = new AbortController()
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1000)) })
    const upload = fetch(`${server.url}${images.create.path}`, {
      method: 'POST',
      headers: { 'x-auth-token': await server.signIn('superuser'), ...name },
      body,
      duplex: 'half',
      signal: abort.signal,
    } as RequestInit).catch(() => null)
    setTimeout(() => abort.abort(), 100)
    await upload
    await expect.poll(async () => (await server.call(images.list, { as: 'superuser' })).data).toEqual([])
  })

  it('are downloaded unchanged under a safe file name', async () => {
    const bytes = new Uint8Array(307_200).fill(7)
    // the boot signature, without which the file is not accepted as a disk
    bytes.set([0x55, 0xaa], 510)
    const upload = await fetch(`${server.url}${images.create.path}/`, {
      method: 'POST',
      headers: {
        'x-auth-token': await server.signIn('superuser'),
        'content-type': 'application/octet-stream',
        'x-hci-image-name': Buffer.from('Bild "ä"').toString('base64'),
        'x-hci-image-disk-format': 'raw',
      },
      body: bytes,
    })
    const image = (await upload.json()) as { id: string; name: string; size: number }
    expect([upload.status, image.name, image.size]).toEqual([202, 'Bild "ä"', 307_200])
    await vi.waitFor(async () => {
      expect((await server.call(images.view, { as: 'superuser', params: { id: image.id } })).status).toBe('active')
    })
    const file = await server.fetch(images.download, { as: 'superuser', params: { id: image.id } })
    expect(file.headers.get('content-length')).toBe('307200')
    expect(file.headers.get('content-disposition')).toMatch(
      /^attachment; filename="Bild _{2,3}.*"; filename\*=UTF-8''Bild%20%22%C3%A4%22/,
    )
    expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true)
    await server.call(images.delete, { as: 'superuser', params: { id: image.id } })
    const [line] = await server.sql.query<{ subject_name: string }>(
      "select subject_name from audit where action = 'image.delete'",
    )
    expect(line!.subject_name).toBe('Bild "ä"')
  })

  it.each([
    ['no name', {}, 'x-hci-image-name'],
    ['a name that is not base64', { 'x-hci-image-name': 'A' }, 'x-hci-image-name'],
    ['a wrong format', { ...name, 'x-hci-image-disk-format': 'exe' }, 'x-hci-image-disk-format'],
    ['tags that are not a list', { ...name, 'x-hci-image-tags': btoa('{') }, 'x-hci-image-tags'],
  ])('with %s are refused, and the error names the header', async (_, headers, field) => {
    const response = await fetch(`${server.url}${images.create.path}`, {
      method: 'POST',
      headers: { 'x-auth-token': await server.signIn('superuser'), ...(headers as Record<string, string>) },
      body: new Uint8Array(100_000),
    })
    const { error } = (await response.json()) as ProblemBody
    expect([response.status, Object.keys(error.fields)]).toEqual([400, [field]])
  })
})

describe('null', () => {
  const write = (method: string, path: string, body: object) =>
    send(method, path, { body: JSON.stringify(body), headers: json })

  it('counts as omitted when creating, and is refused in a change to a field that cannot be cleared', async () => {
    const unset = { description: null, storage_policy_name: null, image_id: null }
    const made = await write('POST', vols, { name: 'sparse', size: GiB, ...unset })
    expect(made.status).toBe(202)
    const { id, description } = (await made.json()) as { id: string; description: string }
    expect(description).toBe('')
    const refused = async (answer: Promise<Response>) => {
      const { error } = (await (await answer).json()) as { error: { fields: object } }
      return Object.keys(error.fields)
    }
    expect(await refused(write('PATCH', `${vols}/${id}`, { description: null }))).toEqual(['description'])
    expect(await refused(write('POST', vols, { name: null, size: GiB }))).toEqual(['name'])
    expect(await refused(write('POST', vols, { name: 'known', size: GiB, colour: null }))).toEqual(['colour'])
  })
})

describe('areas', () => {
  it('a member creates, lists and deletes their own volumes [CA-009] [CA-010] [CA-011] [CA-013]', async () => {
    const made = await server.call(volumes.create, { as: { token: member }, body: { name: 'crud', size: GiB } })
    const list = await server.call(volumes.list, {
      as: { token: member },
      query: { name: 'exact:crud', with_count: 'true' },
    })
    expect([list.data.map(({ id }) => id), list.count]).toEqual([[made.id], 1])
    await vi.waitFor(async () => {
      expect((await server.call(volumes.view, { as: { token: member }, params: { id: made.id } })).status).toBe(
        'available',
      )
    })
    await server.call(volumes.delete, { as: { token: member }, params: { id: made.id } })
    await vi.waitFor(async () => {
      const after = await server.fetch(volumes.view, { as: { token: member }, params: { id: made.id } })
      expect(after.status).toBe(404)
    })
  })

  it('a member can view the compute cluster', async () => {
    expect(await server.call(computeCluster.view, { as: { token: member } })).toMatchObject({
      configured: true,
      engine: 'embedded',
    })
    expect((await server.call(session.meta, { as: { token: member } })).services.compute).toEqual({
      configured: true,
      advice: null,
      simulated: true,
      terraform: false,
    })
  })

  it('quotas of another project are not found', async () => {
    const ask = (project: string, as: 'project-member' | 'superuser') =>
      server.call(quotas.view, { as, params: { id: server.cast.projects[project]!.id } })
    await expect(ask('alpha-one', 'project-member')).resolves.toMatchObject({ compute: { instances: { used: 0 } } })
    await expect(ask('beta-one', 'superuser')).resolves.toMatchObject({ compute: { instances: { used: 0 } } })
    await expect(ask('beta-one', 'project-member')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('a key is found by ID and by name, and only by its owner', async () => {
    const key = await server.call(sshKeys.generate, { as: { token: member }, body: { name: 'work laptop' } })
    expect(key.private_key).toContain('BEGIN OPENSSH PRIVATE KEY')
    for (const id of [key.id, 'work laptop'])
      expect((await server.call(sshKeys.view, { as: { token: member }, params: { id } })).id).toBe(key.id)
    await expect(server.call(sshKeys.view, { as: 'project-admin', params: { id: key.id } })).rejects.toMatchObject({
      status: 404,
    })
    expect(JSON.stringify(await server.call(sshKeys.list, { as: { token: member } }))).not.toContain('PRIVATE')
  })

  it('tasks are fetched by several IDs in one call', async () => {
    const { data } = await server.call(tasks.list, { as: { token: member } })
    const ids = data.map(({ id }) => id).slice(0, 2)
    const found = await server.call(tasks.find, { as: { token: member }, body: { task_ids: [...ids, 'gone'] } })
    expect(found.data.map(({ id }) => id)).toEqual(ids)
  })

  it('a forbidden call is refused before its body is validated', async () => {
    const body = { name: 'small', vcpus: 1, ram: 512 }
    await expect(server.call(flavors.create, { as: { token: member }, body })).rejects.toMatchObject({
      code: 'forbidden',
    })
    await expect(server.call(flavors.create, { as: 'superuser', body })).resolves.toMatchObject({ name: 'small' })
  })

  it('the server has a route for every call in the contract', async () => {
    for (const table of Object.values(allEndpoints))
      for (const endpoint of Object.values(table as Record<string, { verb: string; path: string }>)) {
        const response = await fetch(`${server.adminUrl}${endpoint.path.replaceAll(/:\w+/g, 'x')}`, {
          method: endpoint.verb,
        })
        const text = await response.text()
        expect([endpoint.path, text.includes('unknown_call')]).toEqual([endpoint.path, false])
      }
  })
})
