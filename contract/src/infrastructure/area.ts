import { area } from '../core/area'
import { unpaged } from '../core/tolerance'
import { clusterSettings } from './cluster-settings'
import { clusters } from './clusters'
import { engines } from './engines'
import { managementBackup } from './management-backup'
import { nodeKind, nodes } from './nodes'

export const infrastructureArea = area({
  name: 'infrastructure',
  title: 'nodes and clusters',
  resources: {
    clusters: { calls: clusters },
    clusterSettings: { calls: clusterSettings },
    nodes: { kind: nodeKind, calls: nodes },
    engines: { calls: engines },
    managementBackup: { calls: managementBackup },
  },
  tolerances: [[nodes.list, { query: [unpaged] }]],
})
