import { GiB } from '@mainstay/contract/core/bytes'
import { nodeStatus } from '@mainstay/contract/infrastructure/node-rules'
import { nodeKind, type Node } from '@mainstay/contract/infrastructure/nodes'
import { server } from './pages'

export const readAt = '2026-11-21T10:00:00.000Z'

/** A registered host that belongs to the cluster. */
export const far: Node = {
  ...{ id: '4b0b4a9e-7f5c-4c3e-9d3e-0d7f3a1c2b01', host: 'node-2', orig_hostname: 'node-two', status: 'healthy' },
  ...{ is_primary: false, is_online: true, is_assigned: true, is_in_ha: false },
  services: [{ name: 'storage', status: 'running', message: null }],
  ip_addrs: ['10.7.1.12'],
  ram: { total: 64 * GiB, available: 16 * GiB, swap_total: 0, swap_free: 0 },
  cpu: { model: 'AMD EPYC 9354P', sockets: 1, cores: 32, threads: 64, usage: 0.44, load: [1, 2.5, 3] },
  ...{ rackId: 'rack-7', rowId: 'row-7', roomId: 'room-7', recovery: null, maintenance: null, activity: null },
  tasks: [],
  spaces: { total: 400 * GiB, used: 100 * GiB, disks: 12, failed_disks: 1 },
  link: { by: 'ssh', address: '10.7.1.12', port: 22, host_key: 'SHA256:9bXqf4', rights: 'root', problem: null },
  ...{ os: 'Debian GNU/Linux 12', kernel: '6.1.0-31-amd64', booted_at: readAt, clock_offset_ms: 1 },
  ...{ clock_synchronized: true, restart_pending: false, missing_programs: [], advice: [] },
  ...{ seen_at: readAt, created_at: readAt },
}

/** Stores the node as the server would, with the status that its other fields imply. */
export async function putFar(change: Partial<Node> = {}): Promise<Node> {
  const node = { ...far, ...change }
  const row = { ...node, status: nodeStatus(node) }
  await server.tools.inventory.transaction((records) => records.put(nodeKind.name, row))
  return row
}

export const removeFar = () => server.tools.inventory.transaction((records) => records.remove(nodeKind.name, far.id))
