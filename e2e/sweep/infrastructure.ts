import type { SweptPage } from './swept-page'

const node = '/nodes/:node'

export const infrastructurePages: Readonly<Record<string, Partial<SweptPage>>> = {
  'infrastructure/overview': { action: 'Add node', isForOperators: true },
  'nodes/add': { action: 'Validity', isForOperators: true },
  'nodes/$id': { at: node, action: 'Overview', isForOperators: true },
  'nodes/$id/$tab': { at: `${node}/disks`, action: 'Disks', isForOperators: true },
  'nodes/$id/maintenance': { at: `${node}/maintenance`, action: 'Cancel', isForOperators: true },
  // the only node of the demo world is this host, which cannot be reinstalled from its own console
  'nodes/$id/reinstall': { at: `${node}/reinstall`, action: 'Close', isForOperators: true },
  'compute/cluster': { at: '/compute/cluster', action: 'Remove compute cluster', isForOperators: true },
  'compute/nodes': { at: '/compute/nodes', action: /^Actions for/, isForOperators: true },
  'compute/nodes/$id': { at: '/compute/nodes/:compute_node', action: /^Actions for/, isForOperators: true },
  'compute/nodes/$id/fence': { at: '/compute/nodes/:compute_node/fence', action: 'Reason', isForOperators: true },
  'settings/snmp': { at: '/settings/snmp', action: 'Download MIB file', isForOperators: true },
  'settings/encryption': { at: '/settings/encryption', action: 'Encrypt tier 0', isForOperators: true },
}
