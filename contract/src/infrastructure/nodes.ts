import * as z from 'zod'
import { crud } from '../core/crud'
import { create, endpoints, remove, update } from '../core/endpoint'
import { kind } from '../core/kind'
import { Time } from '../core/names'
import { TaskStarted } from '../core/tasks'
import { HostCpu, HostMemory, HostService } from './node-facts'
import { RegistrationTokenDraft, TOKEN_HOURS } from './node-registration'
import { MaintenanceState, NodeStatus, Statement } from './node-rules'

/** How the platform reaches a node. */
export const NodeLinkState = z.object({
  /**
   * `local`: the server itself runs on the node. `ssh`: a registered host. `engine`: only the compute engine can reach
   * the node.
   */
  by: z.enum(['local', 'ssh', 'engine']),
  /** Address and port of its SSH server. */
  address: z.string().nullable(),
  port: z.number().int().nullable(),
  /** SHA-256 fingerprint of its pinned host key. */
  host_key: z.string().nullable(),
  rights: z.enum(['root', 'sudo', 'none']).nullable(),
  /** Why the node cannot be reached, and what to do; null if it can be reached. */
  problem: z.string().nullable(),
})
export type NodeLinkState = z.infer<typeof NodeLinkState>

/** A host of the installation (S2§3 "Nodes from locations"). */
export const Node = z.object({
  id: z.string(),
  host: z.string(),
  /** Host name at registration. */
  orig_hostname: z.string(),
  status: NodeStatus,
  /** Whether the management services run on the node. */
  is_primary: z.boolean(),
  is_online: z.boolean(),
  /** Whether the node belongs to the cluster. */
  is_assigned: z.boolean(),
  /** Whether another node takes over if this node fails. */
  is_in_ha: z.boolean(),
  services: z.array(HostService),
  ip_addrs: z.array(z.string()),
  ram: HostMemory.nullable(),
  cpu: HostCpu.nullable(),
  rackId: z.string(),
  rowId: z.string(),
  roomId: z.string(),
  /** Set while lost copies of data are being restored. */
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
  /** Steps that would make more facts available, with the command to run on the host. */
  advice: z.array(Statement),
  /** Time when the facts were last read. It can be up to 5 minutes old if nothing changes. */
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

/** Attaches a reinstalled host to its existing node. */
export const NodeReinstall = z.object({
  node: Node,
  /** Command to be run as root on the host, valid once. */
  command: z.string(),
  /** Risk of running the command; null if there is no risk. */
  warning: Statement.nullable(),
  expires_at: Time,
})
export type NodeReinstall = z.infer<typeof NodeReinstall>

const path = '/api/v2/nodes'
export const nodes = endpoints({
  ...crud(nodeKind, { path, called: ['a node', 'nodes'] }),
  delete: {
    verb: 'DELETE',
    path: `${path}/:id`,
    needs: remove('nodes'),
    summary:
      'Delete a node that is unassigned or offline. The task removes the key of the installation from the host; if it is offline, its result contains the command that does.',
    status: 202,
    reply: TaskStarted,
  },
  release: {
    verb: 'POST',
    path: `${path}/:id/release`,
    needs: update('nodes'),
    summary:
      'Release a node from the cluster, after its data was moved to other nodes. Not supported by the present engines: the embedded engine has one node, and the nodes of a cloud are managed there.',
    body: z
      .strictObject({
        /** Releases the node without moving its data, which may be lost. */
        force: z.boolean().default(false),
      })
      .default({ force: false })
      .meta({ examples: [{ force: false }] }),
    status: 202,
    reply: TaskStarted,
  },
  reinstall: {
    verb: 'POST',
    path: `${path}/:id/reinstall`,
    needs: create('node_reinstall'),
    summary:
      'Prepare a node for the reinstallation of its host. Returns the command that connects the reinstalled host to the node.',
    body: RegistrationTokenDraft.default({ ttl: TOKEN_HOURS.default }),
    reply: NodeReinstall,
  },
  cancelReinstall: {
    verb: 'DELETE',
    path: `${path}/:id/reinstall`,
    needs: remove('node_reinstall'),
    summary: 'Cancel the preparation of a reinstallation. Its command becomes invalid.',
    reply: Node,
  },
})
