import { CONSOLE_TICKET_SECONDS, type InstanceStatus } from '@mainstay/contract/compute/instance-rules'
import { images } from '@mainstay/contract/compute/images'
import {
  ConsoleTicket,
  Instance,
  InstanceEvent,
  InstanceInterface,
  instances,
  InstanceStat,
  InstanceVolume,
} from '@mainstay/contract/compute/instances'
import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { GiB } from '@mainstay/contract/core/bytes'
import type { BodyInputOf, Endpoint } from '@mainstay/contract/core/endpoint'
import { page } from '@mainstay/contract/core/lists/paging'
import type { Problem } from '@mainstay/contract/core/problems'
import { tasks } from '@mainstay/contract/core/tasks'
import { networks } from '@mainstay/contract/networking/networks'
import { volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { PersonaName } from '../../testing/personas'
import { fakeConsoles } from '../../testing/guest-consoles'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
let network: string
const as = 'project-member'
beforeAll(async () => {
  server = await startServer()
  network = (await server.call(networks.list, { as })).data[0]!.id
})
afterAll(() => server.close())

type Draft = BodyInputOf<typeof instances.create>
const draft = (change: Partial<Draft> = {}): Draft => ({
  name: 'machine',
  flavor: 's1.nano',
  networks: [],
  volumes: [{ source: 'blank', size: GiB, boot_index: 0 }],
  ...change,
})
const create = (change: Partial<Draft> = {}) => server.call(instances.create, { as, body: draft(change) })
const view = (id: string) => server.call(instances.view, { as, params: { id } })
/** Uploads a minimal raw disk image with the given default username. */
async function bootable(username: string): Promise<string> {
  const who = 'compute-operator@alpha-one'
  const bytes = new Uint8Array(1024 * 1024)
  bytes.set([0x55, 0xaa], 510)
  const sent = await fetch(`${server.url}${images.create.path}`, {
    ...{ method: 'POST', body: bytes },
    headers: {
      ...{ 'x-auth-token': await server.signIn(who), 'content-type': 'application/octet-stream' },
      'x-hci-image-name': Buffer.from(username).toString('base64'),
    },
  })
  const { id } = (await sent.json()) as { id: string }
  await vi.waitFor(async () =>
    expect((await server.call(images.view, { as: who, params: { id } })).status).toBe('active'),
  )
  await server.call(images.update, { as: who, params: { id }, body: { username } })
  return id
}
/** Waits until no task is running, then returns the instance. */
const settled = (id: string, status: InstanceStatus) =>
  vi.waitFor(async () => {
    const instance = await view(id)
    expect([instance.status, instance.task_state]).toEqual([status, null])
    return instance
  })
const running = async (change: Partial<Draft> = {}) => settled((await create(change)).id, 'ACTIVE')
const isGone = (endpoint: Endpoint, id: string) =>
  vi.waitFor(async () => expect((await server.fetch(endpoint, { as, params: { id } })).status).toBe(404))

describe('an instance', () => {
  it('is returned in BUILD with 202, becomes ACTIVE and has all specified fields [CA-078] [EN-066]', async () => {
    const [image, key] = [await bootable('ada'), await server.call(sshKeys.generate, { as, body: { name: 'laptop' } })]
    const broken = await create({ name: 'fault-start', ha_enabled: false })
    const response = await server.fetch(instances.create, {
      as,
      body: draft({
        ...{ name: 'whole', networks: [{ id: network }], tags: ['blue'], metadata: { tier: 'web' } },
        ...{ key_name: key.name, volumes: [{ source: 'image', id: image, size: GiB, boot_index: 0, rm: true }] },
      }),
    })
    expect(response.status).toBe(202)
    const made = (await response.json()) as Instance & { created_ids: string[] }
    expect(made).toMatchObject({ name: 'whole', status: 'BUILD', created_ids: [made.id] })
    const instance = await settled(made.id, 'ACTIVE')
    expect(Instance.parse(instance)).toEqual(instance)
    expect(instance).toMatchObject({
      host_status: 'UP',
      flavor: { vcpus: 1, ram: 128, original_name: 's1.nano', extra_specs: {} },
      volumes: [{ id: expect.any(String), size: GiB, delete_on_termination: true }],
      networks: [{ id: network }],
      network_data: [{ mac_addr: expect.any(String), fixed_ips: [{ ip_address: expect.any(String) }] }],
      key_name: 'laptop',
      username: 'ada',
      fault: null,
      ha_enabled: true,
      metadata: { tier: 'web' },
      traits: expect.any(Array),
      allow_live_resize: expect.any(Boolean),
      allow_set_password: expect.any(Boolean),
      has_pci_devices: false,
      created: expect.any(String),
      updated: expect.any(String),
    })
    for (const field of ['max_vcpu', 'max_mem'] as const) expect(instance).toHaveProperty(field)
    expect(Object.keys(instance.statistics.metrics).toSorted()).toEqual([
      'block_capacity',
      'block_usage',
      'cpu_usage',
      'mem_usage',
    ])
    expect(await settled(broken.id, 'ERROR')).toMatchObject({
      ...{ key_name: null, username: null, ha_enabled: false },
      fault: { code: expect.any(String), message: expect.stringContaining('did not start') },
    })
  })

  it('is listed page by page with a count, and is returned by its ID [CA-077] [CA-079]', async () => {
    const names = ['listed-1', 'listed-2', 'listed-3']
    for (const name of names) await create({ name })
    const query = { name: 'listed', sort: 'name:asc', limit: 2, with_count: true }
    const first = await server.call(instances.list, { as, query })
    expect(page(Instance).parse(first)).toEqual(first)
    expect([first.count, first.data.map(({ name }) => name)]).toEqual([3, ['listed-1', 'listed-2']])
    const rest = await server.call(instances.list, { as, query: { ...query, marker: first.pages[0]!.marker } })
    expect([rest.pages, rest.data.map(({ name }) => name)]).toEqual([[], ['listed-3']])
    expect(await view(rest.data[0]!.id)).toMatchObject({ name: 'listed-3' })
  })

  it('is updated with PATCH and with PUT [CA-080]', async () => {
    const { id } = await running({ name: 'before' })
    const patched = await server.call(instances.update, { as, params: { id }, body: { name: 'patched' } })
    expect(patched).toMatchObject({ id, name: 'patched', status: 'ACTIVE' })
    const put = await server.fetch(
      { ...instances.update, verb: 'PUT' },
      { as, params: { id }, body: { description: 'by PUT', ha_enabled: false } },
    )
    expect(put.status).toBe(200)
    expect(await view(id)).toMatchObject({ name: 'patched', description: 'by PUT', ha_enabled: false })
  })

  it('is deleted together with the volumes flagged for deletion, while other volumes are kept [CA-081]', async () => {
    const { id, volumes: disks } = await running({
      volumes: [
        { source: 'blank', size: GiB, boot_index: 0, rm: true },
        { source: 'blank', size: 2 * GiB, rm: false },
      ],
    })
    const response = await server.fetch(instances.delete, { as, params: { id } })
    expect([response.status, Instance.parse(await response.json()).task_state]).toEqual([202, 'soft-deleting'])
    await isGone(instances.view, id)
    await isGone(volumes.view, disks[0]!.id)
    // the volume that is kept is detached once the instance has stopped
    await expect
      .poll(() => server.call(volumes.view, { as, params: { id: disks[1]!.id } }))
      .toMatchObject({ status: 'available', attachments: [] })
  })
})

type Action = 'start' | 'stop' | 'suspend' | 'resume' | 'pause' | 'unpause' | 'reboot' | 'reset'

describe('an action', () => {
  const act = (id: string, action: Action, body: object = {}) =>
    server.fetch(instances[action], { as: action === 'reset' ? 'superuser' : as, params: { id }, body: body as never })

  it('is a POST request below the instance and leads to the specified status [CA-014]', async () => {
    const { id } = await running({ name: 'actor' })
    const steps: [Action, InstanceStatus, object?][] = [
      ['suspend', 'SUSPENDED'],
      ['resume', 'ACTIVE'],
      ['pause', 'PAUSED'],
      ['unpause', 'ACTIVE'],
      ['reboot', 'ACTIVE', { hard: true }],
      ['stop', 'SHUTOFF'],
      ['start', 'ACTIVE'],
      ['reset', 'ACTIVE'],
    ]
    for (const [action, status, body] of steps) {
      const response = await act(id, action, body)
      expect([action, response.status]).toEqual([action, 202])
      await settled(id, status)
    }
  })

  it('stores the event given by the caller in the task that it starts [CA-005]', async () => {
    const { id } = await running({ name: 'named' })
    const steps: [Action, InstanceStatus, object?][] = [
      ['suspend', 'SUSPENDED'],
      ['resume', 'ACTIVE'],
      ['pause', 'PAUSED'],
      ['unpause', 'ACTIVE'],
      ['reboot', 'ACTIVE', { hard: true }],
      ['stop', 'SHUTOFF', { hard: true }],
      ['start', 'ACTIVE'],
    ]
    for (const [action, status, body] of steps) {
      expect((await act(id, action, { event: `to ${action}`, ...body })).status).toBe(202)
      await settled(id, status)
    }
    const { data } = await server.call(tasks.list, { as, query: { subject_id: id, limit: 100 } })
    const kept = data.map(({ name, event }) => [name, event])
    for (const [action] of steps) expect(kept).toContainEqual([`compute.server.${action}`, `to ${action}`])
    expect(kept).toContainEqual(['compute.server.create', null])
    const refused = await act(id, 'stop', { event: 'x'.repeat(256) })
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { fields: { event: [expect.any(String)] } } },
    ])
  })

  it('is refused if the status does not allow it, and the error includes the current status', async () => {
    const { id } = await running({ name: 'steady' })
    for (const action of ['start', 'resume', 'unpause'] as const)
      await expect(server.call(instances[action], { as, params: { id }, body: {} })).rejects.toMatchObject({
        code: 'invalid_state',
        status: 409,
        data: { status: 'ACTIVE' },
      })
  })

  it('resizes a stopped instance to another flavor', async () => {
    const { id } = await running({ name: 'growing' })
    await act(id, 'stop', { hard: true })
    await settled(id, 'SHUTOFF')
    await server.call(instances.resize, { as, params: { id }, body: { flavor: 's1.tiny' } })
    const resized = await settled(id, 'SHUTOFF')
    await vi.waitFor(async () => expect((await view(id)).flavor.ram).toBe(512))
    expect(resized.volumes).toHaveLength(1)
  })
})

describe('instance details', () => {
  let id: string
  beforeAll(async () => {
    ;({ id } = await running({ name: 'shown', networks: [{ id: network }] }))
  })

  it('attaches, lists and detaches interfaces [CA-082]', async () => {
    const { data } = await server.call(instances.interfaces, { as, params: { id } })
    expect(InstanceInterface.array().parse(data)).toMatchObject([{ network_id: network }])
    const response = await server.fetch(instances.attachInterface, { as, params: { id }, body: { id: network } })
    expect(response.status).toBe(202)
    const port = await vi.waitFor(async () => {
      const now = await server.call(instances.interfaces, { as, params: { id } })
      expect(now.data).toHaveLength(2)
      return now.data[1]!
    })
    await settled(id, 'ACTIVE')
    await server.call(instances.detachInterface, { as, params: { id, port_id: port.port_id } })
    await vi.waitFor(async () =>
      expect((await server.call(instances.interfaces, { as, params: { id } })).data).toEqual(data),
    )
  })

  it('attaches, lists and detaches volumes', async () => {
    const { id: volume_id } = await server.call(volumes.create, { as, body: { name: 'more', size: GiB } })
    const volumeIs = (status: string) =>
      vi.waitFor(async () =>
        expect(await server.call(volumes.view, { as, params: { id: volume_id } })).toMatchObject({ status }),
      )
    const ofInstance = async () => (await server.call(instances.volumes, { as, params: { id } })).data
    await volumeIs('available')
    await server.call(instances.attachVolume, { as, params: { id }, body: { volume_id } })
    await volumeIs('in-use')
    expect(InstanceVolume.array().parse(await ofInstance())).toMatchObject([{ boot_index: 0 }, { id: volume_id }])
    await server.call(instances.detachVolume, { as, params: { id, volume_id } })
    await volumeIs('available')
    expect(await ofInstance()).toHaveLength(1)
  })

  it('lists events with action and result, newest first [CA-083]', async () => {
    const { id: own } = await running({ name: 'remembered' })
    await server.call(instances.pause, { as, params: { id: own }, body: {} })
    await settled(own, 'PAUSED')
    await vi.waitFor(async () => {
      const events = await server.call(instances.events, { as, params: { id: own } })
      // the response also repeats these fields under the names that command-line clients expect
      expect(events).toMatchObject(page(InstanceEvent).parse(events))
      expect(events.data.map(({ action, result }) => [action, result])).toEqual([
        ['pause', 'success'],
        ['create', 'success'],
      ])
    })
  })

  it('returns an event of this instance by its ID or its request ID', async () => {
    const [{ id: own }, { id: other }] = [await running({ name: 'paused' }), await running({ name: 'not paused' })]
    for (const request of ['req-of-a-client', '123456789']) {
      const path = `/api/v2/compute/servers/${own}`
      const headers = { 'x-auth-token': await server.signIn(as), 'x-request-id': request }
      await fetch(`${server.url}${path}`, {
        method: 'PATCH',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ description: request }),
      })
      const event = (id: string, event_id: string) =>
        server.call(instances.event, { as, params: { id, event_id } }).catch(({ code }: Problem) => code)
      const found = await event(own, request)
      expect(found).toMatchObject({ action: 'update', request_id: request, server_id: own })
      expect(await event(own, (found as InstanceEvent).id)).toEqual(found)
      expect(await event(other, request)).toBe('not_found')
    }
  })

  it('shows the changes in an event but hides operators’ changes from tenants', async () => {
    const { id: own } = await running({ name: 'first-name' })
    const rename = (by: PersonaName, name: string) =>
      server.call(instances.update, { as: by, params: { id: own }, body: { name } })
    await rename(as, 'second-name')
    await rename('superuser', 'third-name')
    const changesFor = async (by: PersonaName) => {
      const { data } = await server.call(instances.events, { as: by, params: { id: own }, query: { limit: 2 } })
      return data.map(({ changes }) => changes.map(({ field, from, to }) => [field, from, to]))
    }
    const [theirs, operators] = [[['name', 'first-name', 'second-name']], [['name', 'second-name', 'third-name']]]
    expect(await changesFor('superuser')).toEqual([operators, theirs])
    expect(await changesFor(as)).toEqual([[], theirs])
  })

  it('downloads the console log as a text file [CA-084]', async () => {
    const response = await server.fetch(instances.log, { as, params: { id } })
    expect(response.headers.get('content-type')).toContain('text/plain')
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="shown-console.log"; filename*=UTF-8''shown-console.log`,
    )
    const text = await response.text()
    expect(text).toContain('shown')
    expect(text.length).toBe(Number(response.headers.get('content-length')))
  })

  it('reports current metrics [CA-085]', async () => {
    const stat = await server.call(instances.stat, { as, params: { id } })
    expect(InstanceStat.parse(stat)).toEqual(stat)
    const { volumes: disks, network_data: cards } = await view(id)
    expect(stat).toMatchObject({ mem_usage: expect.any(Number), block_capacity: GiB })
    expect(stat.disks.map((disk) => disk.id)).toEqual(disks.map((disk) => disk.id))
    expect(stat.nics.map((nic) => nic.id)).toEqual(cards.map(({ port_id }) => port_id))
  })

  it('refuses a console for simulated instances and hides instances in other projects', async () => {
    for (const protocol of ['vnc', 'serial'] as const) {
      await expect(server.call(instances.console, { as, params: { id }, query: { protocol } })).rejects.toMatchObject({
        ...{ code: 'console_unavailable', status: 409 },
        message: 'Virtual machines are simulated on this host and have no console',
      })
      const others = server.call(instances.console, { as: 'other-member', params: { id }, query: { protocol } })
      await expect(others).rejects.toMatchObject({ code: 'not_found' })
    }
  })

  it('issues single-use console tickets that expire within a minute [CA-086] [CA-089]', async () => {
    fakeConsoles(server)
    const [one, two] = [
      await server.call(instances.console, { as, params: { id } }),
      await server.call(instances.console, { as, params: { id } }),
    ]
    expect(ConsoleTicket.parse(one)).toEqual(one)
    expect(one).toMatchObject({ protocol: 'vnc', path: `/websockify?token=${one.token}` })
    expect(two.token).not.toBe(one.token)
    expect(Date.parse(one.expires_at) - Date.now()).toBeLessThanOrEqual(CONSOLE_TICKET_SECONDS * 1000)
  })

  it('sets and removes single tags [CA-087] [CA-088]', async () => {
    const set = (tag: string) => server.call(instances.setTag, { as, params: { id, tag } })
    await set('green')
    expect((await set('große Kiste')).tags).toEqual(['green', 'große Kiste'])
    expect((await set('green')).tags).toEqual(['green', 'große Kiste'])
    const tagged = await server.call(instances.list, { as, query: { tags: 'any:green' } })
    expect(tagged.data.map((instance) => instance.id)).toEqual([id])
    expect((await server.call(instances.removeTag, { as, params: { id, tag: 'green' } })).tags).toEqual(['große Kiste'])
    await expect(set('a,b')).rejects.toMatchObject({ code: 'validation', fields: { tag: [expect.any(String)] } })
    await expect(set('x'.repeat(61))).rejects.toMatchObject({ code: 'validation' })
  })
})

describe('creating an instance refuses a draft', () => {
  const before = () => server.call(instances.list, { as, query: { limit: 1, with_count: true } })

  it.each([
    ['with a name of 1 character', { name: 'a' }],
    ['with a name of 256 characters', { name: 'a'.repeat(256) }],
    ['with a name that begins with a digit', { name: '1st' }],
  ])('%s and reports the error on the name field', async (_, change) => {
    const { count } = await before()
    await expect(create(change)).rejects.toMatchObject({ status: 400, fields: { name: expect.any(Array) } })
    expect((await before()).count).toBe(count)
  })

  it('that exceeds the quota, and reports the limit, the usage and the requested amount', async () => {
    const own = 'other-member'
    const body = draft({ name: 'many', count: 20, networks: [] })
    await server.call(instances.create, { as: own, body })
    await expect(server.call(instances.create, { as: own, body: draft() })).rejects.toMatchObject({
      code: 'quota_exceeded',
      status: 409,
      data: { resource: 'instances', limit: 20, used: 20, requested: 1 },
    })
  })

  it('with a volume from another project', async () => {
    const foreign = await server.call(volumes.create, {
      as: 'service-account@beta-two',
      body: { name: 'disk', size: GiB },
    })
    await expect(create({ volumes: [{ source: 'volume', id: foreign.id, boot_index: 0 }] })).rejects.toMatchObject({
      status: expect.toSatisfy((status: number) => status >= 400 && status < 500),
    })
  })
})

describe('concurrent updates', () => {
  it('let one caller succeed and return 412 to the other', async () => {
    const { id } = await running({ name: 'contested' })
    const etag = (await server.fetch(instances.view, { as, params: { id } })).headers.get('etag')!
    const rename = (who: 'project-member' | 'superuser', name: string) =>
      server.fetch(instances.update, { as: who, params: { id }, body: { name }, headers: { 'if-match': etag } })
    const answers = await Promise.all([rename('project-member', 'mine'), rename('superuser', 'yours')])
    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(['200', '412'])
    expect(['mine', 'yours']).toContain((await view(id)).name)
  })
})
