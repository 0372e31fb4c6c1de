import { area } from '../core/area'
import { unpaged } from '../core/tolerance'
import { clusters } from './clusters'
import { engines } from './engines'
import { impact } from './impact'
import { locationKind, locations, occupiedFailureDomains } from './locations'
import { managementBackup } from './management-backup'
import { nodeKind, nodes } from './nodes'

export const infrastructureArea = area({
  name: 'infrastructure',
  title: 'nodes and clusters',
  resources: {
    clusters: { calls: clusters },
    nodes: { kind: nodeKind, calls: nodes },
    locations: { kind: locationKind, calls: locations },
    occupiedFailureDomains: { calls: occupiedFailureDomains },
    impact: { calls: impact },
    engines: { calls: engines },
    managementBackup: { calls: managementBackup },
  },
  tolerances: [[nodes.list, { query: [unpaged] }]],
})
