import { randomUUID } from 'node:crypto'
import type { Answerer, FakeCloud, Received, Reply } from './cloud'
import { recordedRow } from './recorded-rows'
import type { FakeVolumes } from './volumes'

export type FakeServer = Record<string, unknown> & {
  id: string
  name: string
  status: string
  tenant_id: string
  tags: string[]
  metadata: Record<string, string>
  flavor: { original_name: string; vcpus: number; ram: number; extra_specs: Record<string, string> }
}
export interface FakeFlavor {
  id: string
  name: string
  vcpus: number
  ram: number
  swap: number
  'os-flavor-access:is_public': boolean
}

export interface FakeServers {
  servers: Map<string, FakeServer>
  flavors: FakeFlavor[]
  /** Key pairs by `user/name`. */
  keys: Map<string, { name: string; public_key: string; user_id: string; created_at: string }>
  quotas: { instances: number; cores: number; ram: number }
  /** Returns the actions requested for a server, in order. */
  actionsOf(id: string): unknown[]
  add(server?: Partial<FakeServer>): FakeServer
  /** Attaches a volume to a server. With `device: null`, the row of the volume is not updated. */
  attach(server: FakeServer, volumeId: string, device: string | null, deleteOnTermination?: boolean): void
  task(server: FakeServer, task: string | null): void
}

/** Returns an error in the format of the compute service. */
export const serverRefusal = (status: number, fault: string, message: string): Reply => ({
  status,
  body: { [fault]: { code: status, message } },
})

const attached = 'os-extended-volumes:volumes_attached'
const taskState = 'OS-EXT-STS:task_state'
type Attached = { id: string; delete_on_termination: boolean; device: string | null }
export const volumesOf = (server: FakeServer) => server[attached] as Attached[]

/** Immediate effects of an action on a server. */
const effects: Record<string, Record<string, unknown>> = {
  'os-start': { [taskState]: 'powering-on' },
  'os-stop': { [taskState]: 'powering-off' },
  pause: { [taskState]: 'pausing' },
  unpause: { [taskState]: 'unpausing' },
  suspend: { [taskState]: 'suspending' },
  resume: { [taskState]: 'resuming' },
  shelve: { [taskState]: 'shelving' },
  resize: { [taskState]: 'resize_prep', status: 'RESIZE' },
}

/** Serves the parts of the compute service that the commands use: https://docs.openstack.org/api-ref/compute/ */
export function fakeServers(cloud: FakeCloud, cinder: FakeVolumes): FakeServers {
  const servers = new Map<string, FakeServer>()
  const flavor = (id: string, name: string, ram: number, isPublic = true): FakeFlavor => ({
    ...recordedRow('flavor'),
    ...{ id, name, vcpus: 1, ram, swap: 0 },
    'os-flavor-access:is_public': isPublic,
  })
  const fake: FakeServers = {
    servers,
    flavors: [flavor('f1', 'm1.nano', 64), flavor('f2', 'm1.tiny', 128), flavor('f3', 'hidden', 64, false)],
    keys: new Map(),
    quotas: { instances: 20, cores: 40, ram: 4096 },
    actionsOf: (id) =>
      cloud.received
        .filter(({ path, verb }) => verb === 'POST' && path === `/servers/${id}/action`)
        .map(({ body }) => body),
    add(server = {}) {
      const seed = recordedRow('server')
      const made: FakeServer = {
        ...seed,
        id: randomUUID(),
        name: 'web',
        description: null,
        status: 'ACTIVE',
        tenant_id: 'p-demo',
        user_id: 'u-demo',
        created: '2026-11-21T20:00:00Z',
        updated: '2026-11-21T20:00:01Z',
        [taskState]: null,
        'OS-EXT-SRV-ATTR:host': 'node-1',
        'OS-EXT-SRV-ATTR:root_device_name': '/dev/vda',
        host_status: 'UP',
        flavor: { ...(seed['flavor'] as object), original_name: 'm1.nano', vcpus: 1, ram: 64, extra_specs: {} },
        image: '',
        key_name: null,
        metadata: {},
        tags: [],
        [attached]: [],
        ...server,
      }
      servers.set(made.id, made)
      return made
    },
    attach(server, id, device, delete_on_termination = false) {
      volumesOf(server).push({ id, delete_on_termination, device })
      const volume = cinder.volumes.get(id)
      if (!volume || !device) return
      volume.status = 'in-use'
      volume.attachments = [{ server_id: server.id, device, attached_at: '2026-11-21T20:00:02.000000' }]
    },
    task: (server, task) => void (server[taskState] = task),
  }
  serveServers(cloud, fake)
  serveParts(cloud, cinder, fake)
  return fake
}

const isAdmin = ({ token }: Received) => token?.roles.some(({ name }) => name === 'admin') ?? false
const none = (id: string) => serverRefusal(404, 'itemNotFound', `Instance ${id} could not be found.`)

/** Returns a handler for a server that the caller may see; 404 for any other. */
function aboutServer({ servers }: FakeServers, answer: (server: FakeServer, call: Received) => Reply): Answerer {
  return (call) => {
    const server = servers.get(call.params['id'] ?? '')
    const isTheirs = server && (server.tenant_id === call.token?.project?.id || isAdmin(call))
    return isTheirs ? answer(server, call) : none(call.params['id'] ?? '')
  }
}

function serveServers(cloud: FakeCloud, fake: FakeServers): void {
  const { servers, add, task } = fake
  const about = (verb: string, path: string, answer: (server: FakeServer, call: Received) => Reply) =>
    cloud.on('compute', verb, path, aboutServer(fake, answer))

  const listed = ({ query }: Received) => {
    const reservation = query.get('reservation_id')
    const tags = query.get('tags')?.split(',') ?? []
    return [...servers.values()]
      .filter((it) => reservation === null || it['reservation_id'] === reservation)
      .filter((it) => tags.every((tag) => it.tags.includes(tag)))
  }
  cloud.on('compute', 'GET', '/servers', (call) => ({ body: { servers: listed(call) } }))
  cloud.on('compute', 'POST', '/servers', ({ body, token }) => {
    const { server } = body as { server: Record<string, unknown> & { name: string; max_count?: number } }
    const flavor = fake.flavors.find(({ id }) => id === server['flavorRef'])!
    const make = (name: string, more: object = {}) =>
      add({
        name,
        status: 'BUILD',
        tenant_id: token!.project!.id,
        user_id: token!.user.id,
        [taskState]: 'scheduling',
        description: server['description'] ?? null,
        tags: (server['tags'] ?? []) as string[],
        metadata: (server['metadata'] ?? {}) as Record<string, string>,
        key_name: server['key_name'] ?? null,
        flavor: { original_name: flavor.name, vcpus: flavor.vcpus, ram: flavor.ram, extra_specs: {} },
        ...more,
      })
    if (!server.max_count) return { status: 202, body: { server: { id: make(server.name).id } } }
    const reservation_id = 'r-1'
    for (let at = server.max_count; at > 0; at--) make(`${server.name}-${at}`, { reservation_id })
    return { status: 202, body: { reservation_id } }
  })
  about('GET', '/servers/:id', (server) => ({ body: { server } }))
  cloud.on('compute', 'GET', '/servers/detail', (call) => ({ body: { servers: listed(call) } }))
  about('PUT', '/servers/:id', (server, { body }) => {
    Object.assign(server, (body as { server: object }).server)
    return { body: { server } }
  })
  about('DELETE', '/servers/:id', (server) => {
    task(server, 'deleting')
    return { status: 204 }
  })
  about('POST', '/servers/:id/action', (server, { body }) => {
    const [name = '', given] = Object.entries(body as Record<string, unknown>)[0] ?? []
    if (server[taskState] !== null && name !== 'os-resetState') {
      const why = `Cannot '${name}' instance ${server.id} while it is in task_state ${server[taskState] as string}`
      return serverRefusal(409, 'conflictingRequest', why)
    }
    Object.assign(server, effects[name])
    if (name === 'reboot') {
      const isHard = (given as { type: string }).type === 'HARD'
      Object.assign(server, isHard ? { status: 'HARD_REBOOT', [taskState]: 'rebooting_hard' } : { status: 'REBOOT' })
    }
    if (name === 'os-resetState') {
      const { state } = given as { state: string }
      Object.assign(server, { status: state.toUpperCase(), [taskState]: null })
    }
    if (name === 'confirmResize') server.status = 'SHUTOFF'
    if (name === 'os-getConsoleOutput') return { body: { output: 'login: ready\n' } }
    return { status: 202 }
  })
}

function serveParts(cloud: FakeCloud, cinder: FakeVolumes, fake: FakeServers): void {
  const about = (verb: string, path: string, answer: (server: FakeServer, call: Received) => Reply) =>
    cloud.on('compute', verb, path, aboutServer(fake, answer))
  about('PUT', '/servers/:id/tags/:tag', (server, { params }) => {
    server.tags = [...new Set([...server.tags, params['tag']!])]
    return { status: 201 }
  })
  about('DELETE', '/servers/:id/tags/:tag', (server, { params }) => {
    if (!server.tags.includes(params['tag']!)) return serverRefusal(404, 'itemNotFound', 'Tag not found')
    server.tags = server.tags.filter((tag) => tag !== params['tag'])
    return { status: 204 }
  })
  about('GET', '/servers/:id/os-volume_attachments', (server) => ({
    body: { volumeAttachments: volumesOf(server).map(({ id, device }) => ({ volumeId: id, device })) },
  }))
  about('POST', '/servers/:id/os-volume_attachments', (server, { body }) => {
    const { volumeId, delete_on_termination } = (body as { volumeAttachment: Record<string, unknown> }).volumeAttachment
    cinder.volumes.get(String(volumeId))!.status = 'attaching'
    volumesOf(server).push({
      id: String(volumeId),
      delete_on_termination: delete_on_termination === true,
      device: '/dev/vdb',
    })
    return { body: {} }
  })
  about('PUT', '/servers/:id/os-volume_attachments/:volume', (server, { params, body }) => {
    const wanted = (body as { volumeAttachment: { delete_on_termination: boolean } }).volumeAttachment
    const volume = volumesOf(server).find(({ id }) => id === params['volume'])!
    volume.delete_on_termination = wanted.delete_on_termination
    return { status: 202 }
  })
  about('DELETE', '/servers/:id/os-volume_attachments/:volume', (_, { params }) => {
    cinder.volumes.get(params['volume']!)!.status = 'detaching'
    return { status: 202 }
  })
}
