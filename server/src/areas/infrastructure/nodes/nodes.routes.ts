import { diskKind, disks, type Disk } from '@mainstay/contract/infrastructure/disks'
import { nodeInterfaceKind, nodeInterfaces, type NodeInterface } from '@mainstay/contract/infrastructure/interfaces'
import { nodeJoining } from '@mainstay/contract/infrastructure/node-joining'
import { nodeMaintenance } from '@mainstay/contract/infrastructure/node-maintenance'
import { nodeRegistration } from '@mainstay/contract/infrastructure/node-registration'
import { nodeKind, nodes, type Node } from '@mainstay/contract/infrastructure/nodes'
import { problem } from '@mainstay/contract/core/problems'
import { readFrom, serve } from '../../../http/serve'

const later = (): never => {
  throw problem('infrastructure.no_cluster')
}
export const nodeRoutes = [
  ...serve(
    nodes,
    { ...readFrom<Node>(nodeKind), delete: later, release: later, reinstall: later, cancelReinstall: later },
    { kind: nodeKind },
  ),
  ...serve(disks, readFrom<Disk>(diskKind), { kind: diskKind }),
  ...serve(nodeInterfaces, readFrom<NodeInterface>(nodeInterfaceKind), { kind: nodeInterfaceKind }),
  ...serve(
    nodeRegistration,
    { showToken: later, generateToken: later, script: later, register: later },
    { about: 'node_registration' },
  ),
  ...serve(
    nodeJoining,
    {
      ...{ viewJoinConfig: later, makeJoinConfig: later, join: later },
      ...{ viewClusterConfig: later, makeClusterConfig: later, createCluster: later },
    },
    { about: 'node' },
  ),
  ...serve(nodeMaintenance, { view: later, precheck: later, enter: later, exit: later }, { about: 'node_maintenance' }),
]
