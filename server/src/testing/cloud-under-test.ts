import { createReadStream } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { until, type CloudUnderTest } from '@mainstay/engines/conformance/cloud'
import type { DirectoryUnderTest } from '@mainstay/engines/conformance/directory-fixture'
import { cloudAccess } from '@mainstay/engines/openstack/testing/cloud-access'
import { sweep } from '@mainstay/engines/openstack/testing/sweep'
import { prepareCloudFixture, type Tenant, type CloudFixture } from '@mainstay/engines/openstack/testing/cloud-fixture'
import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import type { Entity } from '@mainstay/engines/ports/records'
import type { ProjectScope } from '@mainstay/engines/ports/scope'
import type { Tools } from '../tools'
import { openCloudServer } from './cloud-server'

/** The guest image from tools/guest-image, built by tools/test-openstack.mjs. */
const guestImage = () => process.env['MAINSTAY_GUEST_IMAGE'] ?? path.resolve('.cache/guest/tiny.qcow2')

/** Omits the ports for areas without an engine. */
const servedPorts = ({ ports, areas }: Tools): Tools['ports'] =>
  Object.fromEntries(
    Object.entries(ports).filter(([area]) => areas[area as keyof typeof areas].engine),
  ) as unknown as Tools['ports']

export interface RealCloud extends CloudUnderTest, DirectoryUnderTest {
  fixture: CloudFixture
  tools: Tools
}

/**
 * Opens the engine on the cloud selected by the environment, with the server's own index, feed and tasks. The cloud's
 * users are signed in and act with their own tokens. Closing the engine deletes everything that was created.
 */
export async function openCloudUnderTest(): Promise<RealCloud> {
  const fixture = await prepareCloudFixture(cloudAccess(process.env))
  const { tools, close } = await openCloudServer()
  const { identity, inventory } = tools

  const scopeOf = async (
    { access }: Tenant,
    place: Pick<ProjectScope, 'kind' | 'roles' | 'project_id'>,
  ): Promise<ProjectScope> => {
    const signedIn = await identity.authenticate(access.username, access.password, access.userDomain)
    if (!signedIn) throw new Error(`${access.username} could not sign in`)
    const { user, credential } = signedIn
    return {
      ...place,
      user_id: user.id,
      user_name: user.name,
      domain_id: user.domain_id,
      request_id: 'conformance',
      credential,
    }
  }
  const memberOf = (tenant: Tenant) =>
    scopeOf(tenant, { kind: 'project', roles: ['project_member'], project_id: tenant.projectId })
  const row = <Row extends Entity>(kind: string, id: string) => inventory.transaction((tx) => tx.get<Row>(kind, id))

  /** A node that is not reserved for a placement. */
  const openNode = () =>
    inventory.transaction(async (tx) => {
      const isolating = await tx.find('placement', { isolated: true })
      const nodes = await tx.find<ComputeNode>('compute_node', { state: 'up' })
      return nodes.find(({ traits }) => !isolating.some(({ id }) => traits.includes(id)))?.id
    })

  await until('the first full read', () => row('flavor', fixture.largerFlavor))
  return {
    fixture,
    tools,
    ...servedPorts(tools),
    capabilities: tools.capabilities.compute,
    balancingCapabilities: tools.capabilities['load-balancing'],
    member: await memberOf(fixture.ours),
    stranger: await memberOf(fixture.theirs),
    operator: await scopeOf(fixture.operator, {
      kind: 'system',
      roles: ['admin'],
      project_id: await identity.adminProjectId(),
    }),
    prefix: `${fixture.prefix}-`,
    row,
    bootImage: () => createReadStream(guestImage()),
    flavor: fixture.flavor,
    largerFlavor: fixture.largerFlavor,
    network: fixture.network,
    ...(fixture.external !== undefined && { external: fixture.external }),
    node: await until('a node', openNode),
    address: fixture.address,
    async close() {
      await close()
      const left = await sweep(fixture.operator.access, fixture.prefix)
      if (left.length > 0) throw new Error(`not removed from the cloud:\n${left.join('\n')}`)
    },
  }
}
