import * as z from 'zod'
import { create, endpoints, read, remove, update } from '../core/endpoint'
import { Outage } from '../core/outage'
import { instanceActions } from './instance-rules'
import { ConsoleProtocol } from './instance-views'
import { osDistros } from './image-rules'
import { BackupTarget } from '../storage/backup-target'
import { TaskStarted } from '../core/tasks'
import { ComputeClusterChange, ComputeClusterDraft, ComputeFeatures } from './cluster-settings'
import { clusterStatuses } from './node-rules'

/** Capabilities of the compute engine. The console hides what the engine never supports. */
export const ComputeCapabilities = z.object({
  instance_actions: z.array(z.enum(instanceActions)),
  image_formats: z.array(z.string()),
  console_protocols: z.array(ConsoleProtocol),
  instance_ha: z.boolean().describe('Whether automatic restart on another node can be enabled per virtual machine.'),
  live_resize: z
    .boolean()
    .describe('Whether vCPUs and memory can be added to running virtual machines and the current domain allows it.'),
  instance_placements: z.boolean().describe('Whether placements can be chosen for individual virtual machines.'),
  placement_details: z
    .boolean()
    .describe('Whether placements have a description, can isolate nodes and can be updated.'),
  image_import: z.boolean().describe('Whether images can be imported from a URL.'),
  recycle_bin: z.boolean().describe('Whether deleted virtual machines and volumes can be restored.'),
  backup_target: z.boolean().describe('Whether operators can choose where recovery points are stored.'),
  backup_verify: z.boolean().describe('Whether stored recovery points can be read back and compared.'),
  backup_files: z.boolean().describe('Whether the files in recovery points can be listed and downloaded.'),
  machine_restore: z
    .boolean()
    .describe('Whether virtual machines can be restored as a whole from the recovery points of their volumes.'),
  many_nodes: z.boolean().describe('Whether nodes can be added to compute and released.'),
  max_vcpus: z.number().int(),
  max_ram: z.number().int().describe('In MiB.'),
})
export type ComputeCapabilities = z.infer<typeof ComputeCapabilities>

export const ComputeCluster = z.object({
  status: z
    .enum(clusterStatuses)
    .describe('`absent`: no compute engine is configured, or all nodes have been released.'),
  /** Settings of related services; null if they are not configured. */
  options: z.object({
    backup: BackupTarget.nullable().describe('Where recovery points are stored. Null: only operators see it.'),
    notification_forwarding: z.object({ transport_url: z.string().nullable() }),
  }),
  configured: z.boolean(),
  cpu_model: z.string().nullable().describe('Processor that all nodes have. Null: they differ, or it is not known.'),
  features: ComputeFeatures.describe('Features of domains without their own setting.'),
  /** Message that tells operators why compute is not configured. */
  advice: z.string().nullable(),
  engine: z.string(),
  hypervisor: z.string(),
  accelerator: z.string(),
  capabilities: ComputeCapabilities,
  /** Number of days for which deleted instances and volumes can be restored; 0 if deletion is permanent. */
  recycle_days: z.number().int(),
  /** Set while the cloud cannot be queried and lists may therefore be outdated; otherwise null. */
  outage: Outage.nullable(),
  os_distros: z.array(z.object({ id: z.string(), name: z.string(), os: z.string() })),
})
export type ComputeCluster = z.infer<typeof ComputeCluster>

/** Whether the cluster is that of an attached cloud, whose installer creates, changes and removes it. */
export const isOfCloud = ({ configured, engine }: Pick<ComputeCluster, 'configured' | 'engine'>): boolean =>
  configured && engine !== 'embedded'

export const listedDistros = osDistros

export const ComputeStat = z.object({
  servers: z.object({ total: z.number().int(), by_status: z.record(z.string(), z.number().int()) }),
  vcpus: z.object({ used: z.number(), total: z.number() }),
  ram: z.object({ used: z.number(), total: z.number() }).describe('In MiB.'),
  storage: z.object({ used: z.number(), total: z.number() }).describe('In bytes.'),
})
export type ComputeStat = z.infer<typeof ComputeStat>

export const computeCluster = endpoints({
  view: {
    verb: 'GET',
    path: '/api/v2/compute/cluster',
    needs: read('compute_cluster'),
    summary: 'Get the compute cluster',
    reply: ComputeCluster,
  },
  update: {
    verb: 'PATCH',
    path: '/api/v2/compute/cluster',
    needs: update('compute_cluster'),
    summary:
      'Update the compute cluster. A new place for recovery points is tested first; earlier ones stay where they are.',
    body: ComputeClusterChange,
    reply: TaskStarted,
  },
  create: {
    verb: 'POST',
    path: '/api/v2/compute/cluster',
    needs: create('compute_cluster'),
    summary: 'Create the compute cluster. Its nodes accept virtual machines once the task has completed.',
    body: ComputeClusterDraft,
    reply: TaskStarted,
    status: 202,
  },
  delete: {
    verb: 'DELETE',
    path: '/api/v2/compute/cluster',
    needs: remove('compute_cluster'),
    summary: 'Delete the compute cluster. Refused while it has virtual machines or volumes. Other data is kept.',
    reply: TaskStarted,
    status: 202,
  },
  stat: {
    verb: 'GET',
    path: '/api/v2/compute/cluster/stat',
    needs: read('compute_stat'),
    summary: 'Get compute usage and capacity',
    reply: ComputeStat,
  },
})
