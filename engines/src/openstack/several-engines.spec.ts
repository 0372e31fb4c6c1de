import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { instances } from '@mainstay/contract/compute/instances'
import { quotas } from '@mainstay/contract/compute/quotas'
import { GiB } from '@mainstay/contract/core/bytes'
import { tasks } from '@mainstay/contract/core/tasks'
import { session } from '@mainstay/contract/identity/session'
import { users } from '@mainstay/contract/identity/users'
import { engines } from '@mainstay/contract/infrastructure/engines'
import { networks } from '@mainstay/contract/networking/networks'
import { volumes } from '@mainstay/contract/storage/volumes'
import { until } from '../conformance/cloud'
import { serveDirectory, someDirectory } from './testing/fake-cloud/directory'
import { startFaultProxy, type FaultProxy } from './testing/fault-proxy'
import { startFakeCloud, type FakeCloud } from './testing/fake-cloud/cloud'
import { fakeCompute } from './testing/fake-cloud/compute'
import { fakeEnvironment } from './testing/fake-cloud/environment'
import { fakeNetworks } from './testing/fake-cloud/networks'
import { fakePlacement } from './testing/fake-cloud/placement'
import type { FakeServers } from './testing/fake-cloud/servers'
import { fakeVolumes, type FakeVolumes } from './testing/fake-cloud/volumes'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD, type Personas } from '../../../server/src/testing/personas'
import { testDatabase } from '../../../server/src/testing/postgres/postgres'
import { socketMirror } from '../../../server/src/testing/socket-mirror'
import { startServer, type TestServer } from '../../../server/src/testing/start-server'

/** Instances, networks and users come from a fake cloud, volumes from this machine. */
const split = 'compute=openstack,networking=openstack,identity=openstack,storage=embedded'
const nobody: Personas = { domains: {}, projects: {}, people: {} as Personas['people'] }
const as = 'project-member'

let cloud: FakeCloud
let nova: FakeServers
let cinder: FakeVolumes
let proxy: FaultProxy
let database: Awaited<ReturnType<typeof testDatabase>>
let folder: string
let server: TestServer
let cast: Personas

async function startCloud(): Promise<void> {
  const directory = someDirectory()
  directory.users.find(({ name }) => name === 'admin')!.password = PASSWORD
  // the cast creates a domain with this name
  directory.domains.find(({ name }) => name === 'alpha')!.name = 'gamma'
  directory.roles.push('compute', 'service_account', 'project_admin')
  cloud = await startFakeCloud(directory)
  serveDirectory(cloud, directory)
  cinder = fakeVolumes(cloud)
  nova = fakeCompute(cloud, cinder)
  fakeNetworks(cloud)
  for (const list of ['networks', 'subnets', 'rbac-policies'])
    cloud.list('network', `/${list}`, list.replace('-', '_'), [])
  cloud.list('compute', '/os-server-groups', 'server_groups', [])
  fakePlacement(cloud)
  cloud.list('image', '/images', 'images', [])
  proxy = await startFaultProxy({ identity: cloud.endpoints.identity, compute: cloud.endpoints.compute })
}

const start = (environment: Record<string, string> = {}, who?: Personas): Promise<TestServer> =>
  startServer({
    keep: { folder, databaseUrl: database.url },
    pace: 10,
    ...(who && { cast: who }),
    environment: {
      ...fakeEnvironment(proxy),
      MAINSTAY_ENGINE: 'embedded,openstack',
      MAINSTAY_HYPERVISOR: 'simulated',
      MAINSTAY_AREAS: split,
      MAINSTAY_S3_PORT: 'none',
      ...environment,
    },
  })

async function restart(environment: Record<string, string> = {}, who: Personas = cast): Promise<void> {
  await server.close()
  server = await start(environment, who)
}

beforeAll(async () => {
  await startCloud()
  database = await testDatabase()
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-engines-'))
  server = await start()
  cast = server.cast
})
afterAll(async () => {
  await server.close()
  await proxy.close()
  await cloud.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

const ours = () => cast.people[as].project!.id
const instanceNames = async () => (await server.call(instances.list, { as })).data.map(({ name }) => name).toSorted()
const volumeRows = async () => (await server.call(volumes.list, { as })).data
const volumeNames = async () => (await volumeRows()).map(({ name }) => name).toSorted()
const outage = async () => (await server.call(computeCluster.view, { as })).outage
async function makeVolume(name: string): Promise<string> {
  const { id } = await server.call(volumes.create, { as, body: { name, size: GiB } })
  await until('the volume', async () => (await volumeRows()).some((row) => row.id === id && row.status === 'available'))
  return id
}

describe('a cloud and this machine as engines in one installation', () => {
  it("shows each kind from its own engine, and keeps this machine's objects in a full read of the cloud", async () => {
    const disk = cinder.add({ name: 'the cloud’s own', 'os-vol-tenant-attr:tenant_id': ours() })
    const web = nova.add({ name: 'web', tenant_id: ours() })
    cinder.volumes.get(disk.id)!.attachments.push({ server_id: web.id, device: '/dev/vda', attached_at: '' })
    await makeVolume('made here')
    await until('the cloud’s machines', async () => (await instanceNames()).includes('web'))
    expect(await volumeNames()).toEqual(['made here'])
    expect(cloud.received.filter(({ verb, service }) => verb !== 'GET' && service === 'volume')).toEqual([])

    const before = cloud.received.length
    await restart()
    await until('another full read', async () =>
      cloud.received.slice(before).some(({ path: to }) => to.startsWith('/servers/detail')),
    )
    nova.servers.get(web.id)!.name = 'web renamed'
    await until('what follows it', async () => (await instanceNames()).includes('web renamed'))
    nova.servers.get(web.id)!.name = 'web'
    expect(await volumeNames()).toEqual(['made here'])
  })

  it('streams changes from both engines through one socket, in order', { tags: 'all' }, async () => {
    const mirror = socketMirror(await server.signIn(as), null)
    await mirror.connect(server.url)
    const added = nova.add({ name: 'heard of', tenant_id: ours() })
    const id = await makeVolume('heard of, too')
    await mirror.heard((it) => it.kind === 'volume' && it.id === id && it.entity?.['status'] === 'available', 20_000)
    await mirror.heard((it) => it.kind === 'server' && it.id === added.id, 60_000)
    mirror.close()
    await expect
      .poll(async () => (await server.call(tasks.list, { as, query: { subject_id: id } })).data)
      .toMatchObject([{ name: 'compute.volume.create', state: 'success' }])
  })

  it('takes quotas from the engine that counts them', async () => {
    const { compute, storage } = await server.call(quotas.view, { as, params: { id: ours() } })
    expect(compute.instances).toEqual({ limit: 20, used: 0 })
    const here = (await volumeRows()).length
    expect(here).toBeGreaterThan(0)
    expect(storage.volumes).toMatchObject({ used: here })
    expect(storage.storage_policies['default']).toMatchObject({ used: here * GiB })
    const { storage: sum } = await server.call(computeCluster.stat, { as })
    expect(sum.used).toBe(here * GiB)
  })

  it('refuses objects of the other engine, with an error on the field at fault', async () => {
    const { id } = nova.add({ name: 'target', tenant_id: ours() })
    await until('the machine', async () => (await instanceNames()).includes('target'))
    const volume = await makeVolume('not for the cloud')
    const refused = (field: string) => ({
      code: 'unsupported',
      fields: { [field]: [expect.stringContaining('engine')] },
    })
    await expect(
      server.call(instances.attachVolume, { as, params: { id }, body: { volume_id: volume } }),
    ).rejects.toMatchObject(refused('volume_id'))
    const draft = {
      name: 'xx',
      flavor: 'f1',
      networks: [],
      volumes: [{ source: 'volume' as const, id: volume, boot_index: 0 }],
    }
    await expect(server.call(instances.create, { as, body: draft })).rejects.toMatchObject(refused('volumes.0.id'))
    await expect(
      server.call(volumes.create, { as, body: { name: 'copy', size: GiB, image_id: volume } }),
    ).rejects.toMatchObject(refused('image_id'))
  })

  it('shows operators each engine, how its changes are detected, and the state of its parts', async () => {
    await until('a server that follows the cloud', async () =>
      (await server.call(engines.list, { as: 'superuser' })).data.some(({ holder }) => holder !== null),
    )
    const { data } = await server.call(engines.list, { as: 'superuser' })
    expect(data.map(({ name, engine, view }) => [name, engine, view])).toEqual([
      ['storage', 'embedded', 'record'],
      ['compute', 'openstack', 'feed'],
    ])
    expect(data.find(({ name }) => name === 'compute')!.parts.map(({ name }) => name)).not.toContain('volumes')
    const parts = (await server.call(engines.parts, { as: 'superuser' })).data.map(({ name }) => name)
    expect(parts).toEqual(expect.arrayContaining(['compute', 'networks', 'identity', 'storage', 'database']))
    const { services } = await server.call(session.meta, { as })
    expect(services.compute).toEqual({ configured: true, advice: null, simulated: false, terraform: true })
  })

  it("keeps this machine's areas available while the cloud is down, and reports only parts of the cloud", async () => {
    await proxy.fault('compute', { kind: 'refuse' })
    try {
      // if there are no parts, no server is following the cloud at the moment
      const told = await until('the outage', async () => {
        const now = await outage()
        return now?.parts.length ? now : null
      })
      expect(told.parts).toEqual(['compute'])
      const id = await makeVolume('made meanwhile')
      await server.call(volumes.delete, { as, params: { id } })
      await until('its end', async () => !(await volumeNames()).includes('made meanwhile'))
      const machine = (await server.call(instances.list, { as })).data[0]!
      await expect(server.call(instances.start, { as, params: { id: machine.id } })).rejects.toMatchObject({
        code: 'engine_unavailable',
      })
    } finally {
      await proxy.heal()
    }
    await until('the end of the outage', async () => (await outage()) === null)
  })

  it(
    'restores the rows of a disabled engine once it is enabled, and refuses another engine for them',
    { tags: 'all' },
    async () => {
      const id = await makeVolume('waits for its engine')
      await restart({ MAINSTAY_AREAS: split.replace('storage=embedded', 'storage=none') })
      await expect(server.call(volumes.create, { as, body: { name: 'xx', size: GiB } })).rejects.toMatchObject({
        code: 'not_configured',
        message: expect.stringContaining('volumes'),
      })
      expect((await server.call(quotas.view, { as, params: { id: ours() } })).storage.volumes.used).toBe(0)
      expect((await server.call(engines.list, { as: 'superuser' })).data.map(({ name }) => name)).toEqual(['compute'])
      await server.close()
      await expect(
        start({ MAINSTAY_AREAS: split.replace('storage=embedded', 'storage=openstack') }, cast),
      ).rejects.toThrow(
        'volume, volume_snapshot, volume_backup of this database belong to the engine of one machine (embedded)',
      )
      server = await start({}, cast)
      expect(await volumeNames()).toContain('waits for its engine')
      await server.call(volumes.delete, { as, params: { id } })
      await until('its end', async () => !(await volumeNames()).includes('waits for its engine'))
    },
  )

  it('reads a cloud in full when it comes back, and keeps the objects of this machine', { tags: 'all' }, async () => {
    const gone = nova.add({ name: 'gone meanwhile', tenant_id: ours() })
    await until('the machine', async () => (await instanceNames()).includes('gone meanwhile'))
    const here = await volumeNames()
    const alone = { MAINSTAY_ENGINE: 'embedded', MAINSTAY_AREAS: 'compute=none,networking=none' }
    await restart(alone, nobody)
    const signedIn = await server.call(session.login, { body: { username: 'admin', password: PASSWORD } })
    const operator = { token: signedIn.token! }
    // without the cloud, this machine serves identity
    const people = async (as: { token: string } | 'superuser') =>
      (await server.call(users.list, { as, params: { domain_id: 'default' } })).data.map(({ name }) => name)
    expect(await people(operator)).toEqual(['admin'])
    expect((await server.call(volumes.list, { as: operator })).data).toHaveLength(here.length)
    await expect(server.call(instances.start, { as: operator, params: { id: gone.id } })).rejects.toMatchObject({
      code: 'not_configured',
    })
    nova.servers.delete(gone.id)
    await restart()
    await until('what is gone', async () => !(await instanceNames()).includes('gone meanwhile'))
    expect(await instanceNames()).toContain('web')
    expect(await volumeNames()).toEqual(here)
    await until('the people of the cloud', async () => {
      const found = await people('superuser').catch((problem: { code: string }): string[] => {
        // the cloud's domains are missing until they have been read again
        expect(problem.code).toBe('not_found')
        return []
      })
      return found.includes('mainstay')
    })
  })

  it('lets cloud users own instances, volumes and networks on this machine', { tags: 'all' }, async () => {
    const own = await testDatabase()
    const other = await mkdtemp(path.join(tmpdir(), 'mainstay-engines-'))
    const environment = {
      ...{ ...fakeEnvironment(proxy), MAINSTAY_ENGINE: 'embedded,openstack', MAINSTAY_HYPERVISOR: 'simulated' },
      MAINSTAY_AREAS: 'compute=embedded,storage=embedded,networking=embedded,identity=openstack',
      MAINSTAY_S3_PORT: 'none',
    }
    const here = await startServer({ cast, environment, pace: 10, keep: { folder: other, databaseUrl: own.url } })
    try {
      const { data: known } = await here.call(networks.list, { as, query: { name: 'Default network' } })
      const volume = { source: 'blank' as const, size: GiB, boot_index: 0 }
      const draft = { name: 'here', flavor: 's1.nano', volumes: [volume], networks: known.map(({ id }) => ({ id })) }
      const made = await here.call(instances.create, { as, body: draft })
      expect(made).toMatchObject({ project_id: ours() })
      await until('the machine', async () => (await here.call(instances.list, { as })).data[0]?.status === 'ACTIVE')
      expect((await here.call(engines.list, { as: 'superuser' })).data).toMatchObject([
        { name: 'compute', engine: 'embedded', view: 'record' },
        { name: 'identity', engine: 'openstack', view: 'feed', parts: [{ name: 'identity', reachable: true }] },
      ])
    } finally {
      await here.close()
      await own.drop()
      await rm(other, { recursive: true, force: true })
    }
  })

  it('refuses to start without a plan, and prints the line to add', async () => {
    await expect(start({ MAINSTAY_AREAS: '' }, cast)).rejects.toThrow(
      /Several engines can serve compute, storage, networking, identity[^]*MAINSTAY_AREAS=compute=embedded,/,
    )
  })
})
