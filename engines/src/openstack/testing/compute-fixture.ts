import { InstanceDraft, type Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import type * as z from 'zod'
import type { InstancesPort } from '../../ports/compute'
import type { InterfacesPort } from '../../ports/networking'
import { instanceCommands } from '../compute/instances/commands'
import { instanceReader } from '../compute/instances/reader'
import { interfaceCommands } from '../networking/cards/interfaces'
import { volumeReader } from '../storage/volumes/shape'
import { startEngineFixture, type EngineFixture } from './engine-fixture'
import { fakeImages, type FakeImages } from './fake-cloud/images'
import { fakeNetworks, type FakeNetworks } from './fake-cloud/networks'
import { fakeCompute } from './fake-cloud/compute'
import type { FakeServer, FakeServers } from './fake-cloud/servers'
import { fakeVolumes, type FakeVolumes } from './fake-cloud/volumes'

type DraftChange = Partial<z.input<typeof InstanceDraft>>

/** The engine's instance commands, running against a fake cloud with servers, volumes, images and networks. */
export interface ComputeFixture extends EngineFixture {
  nova: FakeServers
  cinder: FakeVolumes
  glance: FakeImages
  neutron: FakeNetworks
  instances: InstancesPort
  interfaces: InterfacesPort
  /** Adds a server, as if another client had created it, and reads it into the index. */
  add(server?: Partial<FakeServer>): Promise<FakeServer>
  indexed(id: string): Instance | undefined
  /** Adds an active image of 1 GiB. */
  image(): { id: string }
  /** Creates instances from a draft like the one that the form sends. */
  create(change?: DraftChange): Promise<Instance[]>
  /** Returns all requests that created servers. */
  makings(): { token: unknown; server: Record<string, unknown> }[]
}

export async function startComputeFixture(): Promise<ComputeFixture> {
  const fixture = await startEngineFixture([instanceReader, volumeReader])
  const { cloud, engine, member, index } = fixture
  const cinder = fakeVolumes(cloud)
  const glance = fakeImages(cloud)
  const neutron = fakeNetworks(cloud)
  const nova = fakeCompute(cloud, cinder)
  const instances = instanceCommands(engine)
  const interfaces = interfaceCommands(engine)
  const image = () => glance.add({ name: 'tiny', status: 'active', disk_format: 'raw', size: GiB })
  return {
    ...fixture,
    ...{ nova, cinder, glance, neutron, instances, interfaces, image },
    async add(server = {}) {
      const made = nova.add(server)
      await engine.refresh(instanceReader, made.id)
      return made
    },
    indexed: (id) => index.get(`server/${id}`) as Instance | undefined,
    async create(change = {}) {
      const usual = { name: 'web', flavor: 'f1', networks: [{ id: 'n1' }] }
      const volumes = [{ source: 'image', id: image().id, size: GiB }]
      return instances.create(member, InstanceDraft.parse({ ...usual, volumes, ...change }))
    },
    makings: () =>
      cloud.received
        .filter(({ verb, path }) => verb === 'POST' && path === '/servers')
        .map(({ token, body }) => ({ token, ...(body as { server: Record<string, unknown> }) })),
  }
}
