import type { ComputeCapabilities } from '@mainstay/contract/compute/compute-cluster'
import type { NetworkingCapabilities } from '@mainstay/contract/networking/network-service'
import { resourceList } from '@mainstay/contract/resources'
import type { LoadBalancingCapabilities } from '@mainstay/contract/load-balancing/load-balancing-service'
import type { VpnCapabilities } from '@mainstay/contract/vpn/vpn-capabilities'
import type { ComputePort } from './compute'
import type { IdentityPort } from './identity'
import type { LoadBalancingPort } from './load-balancing'
import type { NetworkingPort } from './networking'
import type { ObjectStoragePort } from './object-storage'
import type { StoragePort } from './storage'
import type { VpnPort } from './vpn'

/** What engines do, by area. An area that is added here, and named below, is one that an engine can serve. */
export interface AreaPorts {
  identity: IdentityPort
  compute: ComputePort
  storage: StoragePort
  networking: NetworkingPort
  'load-balancing': LoadBalancingPort
  vpn: VpnPort
  'object-storage': ObjectStoragePort
}
export type Area = keyof AreaPorts

/** What each area is about, for people. */
export const areaTitles: Readonly<Record<Area, string>> = {
  compute: 'virtual machines',
  storage: 'volumes',
  networking: 'networks',
  identity: 'users and projects',
  'load-balancing': 'load balancers',
  vpn: 'VPN connections',
  'object-storage': 'object storage',
}
export const allAreas = Object.keys(areaTitles) as readonly Area[]
/** The areas of a cloud, which an engine may serve all alone. Object storage has an engine of its own. */
export const cloudAreas = ['compute', 'storage', 'networking', 'identity'] as const satisfies readonly Area[]
const isArea = (name: string | undefined): name is Area => allAreas.some((area) => area === name)

/** The kinds that engines have rows of, by their names, each with its area. */
export const areaOfKind: ReadonlyMap<string, Area> = new Map(
  resourceList.flatMap(([, { area, kind }]) => (kind && isArea(area) ? [[kind.name, area]] : [])),
)

/** What an engine can do in an area, where engines differ. */
export interface AreaCapabilities {
  compute: ComputeCapabilities
  networking: NetworkingCapabilities
  'load-balancing': LoadBalancingCapabilities
  vpn: VpnCapabilities
}

/** Where nobody serves the area. */
export const noCapabilities: AreaCapabilities = {
  compute: {
    instance_actions: [],
    image_formats: [],
    console_protocols: [],
    instance_ha: false,
    live_resize: false,
    max_vcpus: 0,
    max_ram: 0,
    instance_placements: false,
    placement_details: false,
    image_import: false,
    recycle_bin: false,
  },
  networking: {
    networks: false,
    external_networks: false,
    vlan_networks: false,
    routers: false,
    floating_ips: false,
    security_groups: false,
    spoofing_protection: false,
    published_ports: false,
    reach_probe: false,
    direct_vnics: false,
  },
  'load-balancing': {
    load_balancers: false,
    high_availability: false,
    protocols: [],
    algorithms: [],
    udp_algorithms: [],
    tls_termination: false,
    providers: [],
  },
  vpn: {
    ...{ connections: false, split_selector: false, diagnosis: false, stats: false, restart: false },
    ...{ ike_versions: [], encryption_algorithms: [], auth_algorithms: [], groups: [], modes: [], dpd_actions: [] },
  },
}
