import * as z from 'zod'
import { crud } from '../core/crud'
import { kind } from '../core/kind'
import { Time } from '../core/names'
import { HostCpu, HostMemory, HostService } from './node-facts'
import { MaintenanceState, NodeStatus } from './node-rules'

/** How the platform reaches a node. */
export const NodeLinkState = z.object({
  /** `local`: the host of the server. `ssh`: a registered host. `engine`: only the engine of its virtual machines. */
  by: z.enum(['local', 'ssh', 'engine']),
  /** Address and port of its SSH server. */
  address: z.string().nullable(),
  port: z.number().int().nullable(),
  /** SHA-256 fingerprint of its pinned host key. */
  host_key: z.string().nullable(),
  rights: z.enum(['root', 'sudo', 'none']).nullable(),
  /** Why it cannot be reached, and what to do. Null while it can be reached. */
  problem: z.string().nullable(),
})

/** A host of the installation (S2§3 "Nodes from locations"). */
export const Node = z.object({
  id: z.string(),
  host: z.string(),
  /** Host name at registration. */
  orig_hostname: z.string(),
  status: NodeStatus,
  /** Whether the management services run on it. */
  is_primary: z.boolean(),
  is_online: z.boolean(),
  /** Whether the node belongs to the cluster. */
  is_assigned: z.boolean(),
  /** Whether another node takes over if it fails. */
  is_in_ha: z.boolean(),
  services: z.array(HostService),
  ip_addrs: z.array(z.string()),
  ram: HostMemory.nullable(),
  cpu: HostCpu.nullable(),
  rackId: z.string(),
  rowId: z.string(),
  roomId: z.string(),
  /** Set while lost copies of data are made again. */
  recovery: z.object({ state: z.enum(['running', 'failed']), progress: z.number().nullable() }).nullable(),
  maintenance: z.object({ state: MaintenanceState, since: Time, task_id: z.string().nullable() }).nullable(),
  activity: z.enum(['installing', 'releasing', 'in_progress']).nullable(),
  /** IDs of the tasks that are changing the node. */
  tasks: z.array(z.string()),
  /** Space of its disks, in bytes. */
  spaces: z.object({
    total: z.number().int(),
    used: z.number().int(),
    disks: z.number().int(),
    failed_disks: z.number().int(),
  }),
  link: NodeLinkState,
  os: z.string().nullable(),
  kernel: z.string().nullable(),
  booted_at: Time.nullable(),
  clock_offset_ms: z.number().nullable(),
  clock_synchronized: z.boolean().nullable(),
  restart_pending: z.boolean(),
  missing_programs: z.array(z.string()),
  /** When its facts were last read. */
  seen_at: Time.nullable(),
  created_at: Time,
})
export type Node = z.infer<typeof Node>

export const nodeKind = kind({
  name: 'node',
  entity: Node,
  visibility: 'system',
  alias: 'host',
  status: 'status',
  filters: [
    'id',
    'host',
    'status',
    'is_online',
    'is_assigned',
    { name: 'rackId', type: 'id' },
    { name: 'rowId', type: 'id' },
    { name: 'roomId', type: 'id' },
  ],
  sortKeys: ['host', 'status', 'created_at'],
  defaultSort: 'host:asc',
  search: ['host', 'id'],
  permissions: { collection: 'nodes', item: 'nodes' },
})

const path = '/api/v2/nodes'
export const nodes = crud(nodeKind, { path, called: ['a node', 'nodes'] })
