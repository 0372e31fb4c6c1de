import * as z from 'zod'
import { create, endpoints, read } from '../core/endpoint'
import { Id, isVisible, NodeId, NOT_VISIBLE } from '../core/names'
import { someId } from '../core/example'
import { says } from '../core/said'
import { TaskStarted } from '../core/tasks'
import { TierEncryption } from './cluster-settings'
import { Disk, DiskRole, DiskServiceParams } from './disks'

/** The use of a disk, as chosen for a node that joins. */
export const DiskUse = z.strictObject({
  id: Id,
  role: DiskRole,
  service_params: DiskServiceParams.partial().default({}),
})
export type DiskUse = z.infer<typeof DiskUse>

/** A disk with its proposed use. */
export const ProposedDisk = Disk.pick({
  ...{ id: true, device: true, type: true, model: true, serial_number: true, smart_status: true, holders: true },
}).extend({
  /** In bytes. */
  size: z.number().int(),
  role: DiskRole,
  service_params: DiskServiceParams,
  available_roles: z.array(DiskRole),
  /** Why the disk is not proposed for use; null if it is. */
  left_out: z.enum(['system', 'in_use', 'failed', 'too_small']).nullable(),
})
export type ProposedDisk = z.infer<typeof ProposedDisk>

/** The proposed use of the disks of a node that joins a cluster. */
export const JoinConfig = z.object({
  node_id: z.string(),
  host: z.string(),
  disks: z.array(ProposedDisk),
  /**
   * Why a node with these disks cannot join: `no_cs` (no disk for data) or `no_mds` (no disk for metadata; new clusters
   * only).
   */
  issues: z.array(z.enum(['no_cs', 'no_mds'])),
})
export type JoinConfig = z.infer<typeof JoinConfig>

export const NewClusterConfig = z.object({
  nodes: z.array(JoinConfig),
  encryption: TierEncryption,
})
export type NewClusterConfig = z.infer<typeof NewClusterConfig>

const ChosenDisks = { disks: z.array(DiskUse).max(1000).optional() }
const Chosen = z
  .strictObject(ChosenDisks)
  .default({})
  .meta({ examples: [{}] })

const CLUSTER_NAME = /^[A-Za-z0-9_-]{2,64}$/

export const ClusterDraft = z
  .strictObject({
    node_id: NodeId,
    cluster_name: z.string().regex(CLUSTER_NAME, says('infrastructure.cluster_name')).regex(isVisible, NOT_VISIBLE),
    ...ChosenDisks,
    encryption: z.strictObject(TierEncryption.shape).partial().default({}),
  })
  .meta({ examples: [{ node_id: someId('node'), cluster_name: 'cluster-1' }] })
export type ClusterDraft = z.infer<typeof ClusterDraft>

export const NodeJoin = z
  .strictObject({ node_id: NodeId, ...ChosenDisks })
  .meta({ examples: [{ node_id: someId('node') }] })
export type NodeJoin = z.infer<typeof NodeJoin>

const joinPath = '/api/v2/:cluster/nodes'
const newPath = '/api/v2/clusters/make_new_cluster_config'
export const nodeJoining = endpoints({
  viewJoinConfig: {
    verb: 'GET',
    path: `${joinPath}/:id/make_join_config`,
    needs: read('nodes'),
    summary: 'Get the proposed use of the disks of a node that is to join the cluster',
    reply: JoinConfig,
  },
  makeJoinConfig: {
    verb: 'POST',
    path: `${joinPath}/:id/make_join_config`,
    needs: read('nodes'),
    summary: 'Complete a chosen use of disks and check it. Changes nothing.',
    body: Chosen,
    reply: JoinConfig,
  },
  join: {
    verb: 'POST',
    path: joinPath,
    needs: create('nodes'),
    summary:
      'Add a node to the cluster. Not supported by the present engines: the embedded engine has one node, and the nodes of a cloud are managed there.',
    body: NodeJoin,
    status: 202,
    reply: TaskStarted,
  },
  viewClusterConfig: {
    verb: 'GET',
    path: newPath,
    needs: read('clusters'),
    summary: 'Get the proposed use of disks for a new cluster. Covers all nodes that are online, or one node.',
    query: z.strictObject({ node_id: NodeId.optional() }),
    reply: NewClusterConfig,
  },
  makeClusterConfig: {
    verb: 'POST',
    path: newPath,
    needs: read('clusters'),
    summary: 'Complete a chosen use of disks for a new cluster and check it. Changes nothing.',
    body: z
      .strictObject({ node_id: NodeId.optional(), ...ChosenDisks })
      .default({})
      .meta({ examples: [{}] }),
    reply: NewClusterConfig,
  },
  createCluster: {
    verb: 'POST',
    path: '/api/v2/clusters',
    needs: create('clusters'),
    summary:
      'Create a storage cluster with its first node. Not supported by the present engines: a storage cluster exists as soon as an engine serves storage.',
    body: ClusterDraft,
    status: 202,
    reply: TaskStarted,
  },
})
