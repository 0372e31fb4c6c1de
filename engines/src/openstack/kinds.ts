import { Problem } from '@mainstay/contract/core/problems'
import { areaOfKind, type Area, type AreaPorts } from '../ports/area-ports'
import type { KindSource } from '../ports/engine'
import type { Entity } from '../ports/records'
import { flavorCommands } from './compute/flavors/commands'
import { flavorReader } from './compute/flavors/shape'
import { imageCommands } from './compute/images/commands'
import { imageReader } from './compute/images/shape'
import { instanceCommands } from './compute/instances/commands'
import { instanceReader } from './compute/instances/reader'
import { nodeReader } from './compute/nodes'
import { placementCommands } from './compute/placements/commands'
import { placementReader } from './compute/placements/shape'
import { serverGroupCommands } from './compute/server-groups/commands'
import { serverGroupReader } from './compute/server-groups/shape'
import { sshKeyCommands } from './compute/ssh-keys/commands'
import { sshKeyReader } from './compute/ssh-keys/shape'
import { statOf, type ReadNodes } from './compute/stat'
import type { Engine } from './engine'
import { partOf } from './feed/health'
import type { KindReader } from './kind-reader'
import { loadBalancerReader } from './load-balancing/balancers/reader'
import { loadBalancingCommands } from './load-balancing/commands'
import { lbFlavorProfileReader, lbFlavorReader } from './load-balancing/flavors/reader'
import type { BalancerService } from './load-balancing/learn'
import { lbPoolReader } from './load-balancing/pools/reader'
import { interfaceCommands } from './networking/cards/interfaces'
import { floatingIpCommands } from './networking/floating-ips/commands'
import { floatingIpReader } from './networking/floating-ips/reader'
import type { NetworkService } from './networking/learn-extensions'
import { networkCommands } from './networking/networks/commands'
import { networkReader } from './networking/networks/reader'
import { portCommands } from './networking/ports/commands'
import { portReader } from './networking/ports/reader'
import { routerCommands } from './networking/routers/commands'
import { routerReader } from './networking/routers/reader'
import { securityGroupCommands, securityGroupRuleCommands } from './networking/security-groups/commands'
import { securityGroupReader, securityGroupRuleReader } from './networking/security-groups/reader'
import { subnetCommands } from './networking/subnets/commands'
import { subnetReader } from './networking/subnets/reader'
import { domainReader, groupReader, projectReader, userReader } from './identity/directory/readers'
import { computeQuotasOf, networkingQuotasOf, quotaLimits, storageQuotasOf } from './quotas'
import { noRecycleBin } from './storage/recycle-bin'
import { storageStatOf } from './storage/stat'
import { storagePolicyReader } from './storage/volume-types'
import { volumeCommands } from './storage/volumes/commands'
import { volumeReader } from './storage/volumes/shape'
import { vpnCommands } from './vpn/commands'
import { connectionReader } from './vpn/connections/reader'
import { endpointGroupReader } from './vpn/endpoint-groups'
import type { VpnServiceOfCloud } from './vpn/learn'
import { ikePolicyReader, ipsecPolicyReader } from './vpn/policies'
import { vpnServiceReader } from './vpn/services'

/*
 * What of a cloud is served: how each kind is read, and what is done in each area.
 */

const cloudReaders = [
  connectionReader,
  domainReader,
  endpointGroupReader,
  flavorReader,
  floatingIpReader,
  groupReader,
  ikePolicyReader,
  imageReader,
  instanceReader,
  ipsecPolicyReader,
  lbFlavorProfileReader,
  lbFlavorReader,
  lbPoolReader,
  loadBalancerReader,
  networkReader,
  nodeReader,
  placementReader,
  portReader,
  projectReader,
  routerReader,
  securityGroupReader,
  securityGroupRuleReader,
  serverGroupReader,
  sshKeyReader,
  storagePolicyReader,
  subnetReader,
  userReader,
  volumeReader,
  vpnServiceReader,
] as readonly KindReader<Entity>[]

const areaOf = ({ kind }: KindReader<Entity>): Area => {
  const area = areaOfKind.get(kind)
  if (!area) throw new Error(`No resource of the contract has the kind ${kind}`)
  return area
}
export const readersIn = (areas: ReadonlySet<Area>) => cloudReaders.filter((reader) => areas.has(areaOf(reader)))

/** What the index has of a cloud, and from which part of it. */
export const cloudKinds: readonly KindSource[] = cloudReaders.map((reader) => ({
  kind: reader.kind,
  area: areaOf(reader),
  view: 'feed',
  part: partOf(reader),
}))

export const cloudPorts = (
  engine: Engine,
  services: {
    nodes: ReadNodes
    networkService: Pick<NetworkService, 'unavailable'>
    balancerService: BalancerService
    vpnService: VpnServiceOfCloud
  },
  limitsPort = quotaLimits(engine),
): Pick<AreaPorts, 'compute' | 'storage' | 'networking' | 'load-balancing' | 'vpn'> => ({
  compute: {
    instances: instanceCommands(engine),
    images: imageCommands(engine),
    flavors: flavorCommands(engine),
    sshKeys: sshKeyCommands(engine),
    serverGroups: serverGroupCommands(engine),
    placements: placementCommands(engine),
    quotas: (scope, projectId) => computeQuotasOf(engine, scope, projectId),
    quotaLimits: limitsPort,
    stat: (scope) => statOf(engine, services.nodes, scope),
  },
  storage: {
    volumes: volumeCommands(engine),
    recycleBin: noRecycleBin,
    quotas: (scope, projectId) => storageQuotasOf(engine, scope, projectId),
    quotaLimits: limitsPort,
    stat: (scope) => storageStatOf(engine, scope),
  },
  networking: {
    interfaces: interfaceCommands(engine),
    networks: networkCommands(engine),
    subnets: subnetCommands(engine),
    ports: portCommands(engine),
    routers: routerCommands(engine),
    floatingIps: floatingIpCommands(engine),
    securityGroups: securityGroupCommands(engine),
    securityGroupRules: securityGroupRuleCommands(engine),
    probe: () => Promise.reject(new Problem('unsupported', 'This cloud sends no packets to show who reaches whom')),
    host: () => Promise.resolve(null),
    unavailable: () => services.networkService.unavailable,
    quotas: (scope, projectId) => networkingQuotasOf(engine, scope, projectId),
    quotaLimits: limitsPort,
  },
  'load-balancing': loadBalancingCommands(engine, services.balancerService, limitsPort),
  vpn: vpnCommands(engine, services.vpnService, limitsPort),
})
