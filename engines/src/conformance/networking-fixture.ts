import type { Network } from '@mainstay/contract/networking/networks'
import { PrivateNetworkDraft, PublicNetworkDraft } from '@mainstay/contract/networking/networks'
import type { Port } from '@mainstay/contract/networking/ports'
import { RouterDraft, type Router } from '@mainstay/contract/networking/routers'
import { afterAll, beforeAll } from 'vitest'
import type * as z from 'zod'
import type { NetworkingPort } from '../ports/networking'
import type { Entity } from '../ports/records'
import type { ProjectScope } from '../ports/scope'
import { gone, until, type CloudUnderTest, type StartCloud } from './cloud'

/**
 * A cloud, with helpers that create the objects that network suites require. Created objects are deleted at the end.
 */
export interface NetworkingFixture {
  cloud: CloudUnderTest
  networking: NetworkingPort
  /** Creates a private IPv4 network as a project member. */
  network(change?: Partial<z.input<typeof PrivateNetworkDraft>>, scope?: ProjectScope): Promise<Network>
  /** Returns an external network that all projects can use for routers and floating IPs. */
  external(): Promise<Network>
  router(change?: Partial<z.input<typeof RouterDraft>>): Promise<Router>
  /** Creates an unattached port. */
  port(networkId: string, change?: object): Promise<Port>
  row<Row extends Entity>(kind: string, id: string): Promise<Row>
  /** Registers cleanup, which runs at the end in reverse order. */
  cleanup(work: () => Promise<unknown>): void
}

export const rangeAt = (place: number): string => `192.168.${place}.0/24`

export function networkingFixture(start: StartCloud): NetworkingFixture {
  const cleanups: (() => Promise<unknown>)[] = []
  let outside: Promise<Network> | null = null
  let counted = 0

  const makeExternal = async (): Promise<Network> => {
    const { cloud } = fixture
    if (cloud.external) return fixture.row<Network>('network', cloud.external)
    const draft = PublicNetworkDraft.parse({
      name: 'outside',
      physical_network: 'public',
      subnets: [{ cidr: '203.0.113.0/24' }],
      rbac_policies: [{ target_project: '*', actions: ['routed'] }],
    })
    const made = await fixture.networking.networks.createPublic(cloud.operator, draft)
    fixture.cleanup(() => fixture.networking.networks.delete(cloud.operator, made.id, { vlanInterfaces: true }))
    return until('the external network', async () => {
      const row = await cloud.row<Network>('network', made.id)
      return row?.status === 'ACTIVE' ? row : null
    })
  }

  const fixture: NetworkingFixture = {
    cloud: null as never,
    networking: null as never,
    async network(change = {}, scope = fixture.cloud.member) {
      const draft = PrivateNetworkDraft.parse({
        name: `net ${++counted}`,
        subnets: [{ cidr: rangeAt(counted) }],
        ...change,
      })
      const made = await fixture.networking.networks.createPrivate(scope, draft)
      fixture.cleanup(() => fixture.networking.networks.delete(scope, made.id, { vlanInterfaces: true }))
      return made
    },
    external: () => (outside ??= makeExternal()),
    async router(change = {}) {
      const { member } = fixture.cloud
      const made = await fixture.networking.routers.create(member, RouterDraft.parse({ name: 'edge', ...change }))
      fixture.cleanup(async () => {
        await fixture.networking.routers.delete(member, made.id, { withInterfaces: true })
        await gone(fixture.cloud, 'router', made.id)
      })
      return made
    },
    async port(networkId, change = {}) {
      const made = await fixture.networking.ports.create(fixture.cloud.member, { network_id: networkId, ...change })
      fixture.cleanup(() => fixture.networking.ports.delete(fixture.cloud.member, made.id))
      return made
    },
    row: (kind, id) => until(`${kind} ${id}`, () => fixture.cloud.row(kind, id)) as never,
    cleanup: (work) => void cleanups.push(work),
  }
  beforeAll(async () => {
    fixture.cloud = await start()
    fixture.networking = fixture.cloud.networking
  }, 300_000)
  afterAll(async () => {
    // a test may have deleted the object already
    for (const work of cleanups.toReversed()) await work().catch(() => undefined)
    await fixture.cloud.close()
  }, 300_000)
  return fixture
}
