import { area } from '../core/area'
import { unpaged } from '../core/tolerance'
import { clusterSettings } from './cluster-settings'
import { clusters } from './clusters'
import { diskKind, disks } from './disks'
import { engines } from './engines'
import { hostFeatures } from './host-features'
import { nodeInterfaceKind, nodeInterfaces } from './interfaces'
import { impact } from './impact'
import { locationKind, locations, occupiedFailureDomains } from './locations'
import { managementBackup } from './management-backup'
import { nodeJoining } from './node-joining'
import { nodeMaintenance } from './node-maintenance'
import { nodeRegistration } from './node-registration'
import { nodeKind, nodes } from './nodes'
import { storageTiers } from './tiers'

export const infrastructureArea = area({
  name: 'infrastructure',
  title: 'nodes and clusters',
  resources: {
    clusters: { calls: clusters },
    clusterSettings: { calls: clusterSettings },
    nodes: { kind: nodeKind, calls: nodes },
    disks: { kind: diskKind, calls: disks },
    nodeInterfaces: { kind: nodeInterfaceKind, calls: nodeInterfaces },
    hostFeatures: { calls: hostFeatures },
    nodeRegistration: { calls: nodeRegistration },
    nodeJoining: { calls: nodeJoining },
    nodeMaintenance: { calls: nodeMaintenance },
    locations: { kind: locationKind, calls: locations },
    occupiedFailureDomains: { calls: occupiedFailureDomains },
    impact: { calls: impact },
    storageTiers: { calls: storageTiers },
    engines: { calls: engines },
    managementBackup: { calls: managementBackup },
  },
  tolerances: [[nodes.list, { query: [unpaged] }]],
})
