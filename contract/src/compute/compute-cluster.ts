import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { Outage } from '../core/outage'
import { instanceActions } from './instance-rules'
import { ConsoleProtocol } from './instance-views'
import { osDistros } from './image-rules'

/** What the compute engine can do here; the console hides what it can never do. */
export const ComputeCapabilities = z.object({
  instance_actions: z.array(z.enum(instanceActions)),
  image_formats: z.array(z.string()),
  console_protocols: z.array(ConsoleProtocol),
  instance_ha: z.boolean().describe('whether each instance says if it is started on another node when its own fails'),
  live_resize: z
    .boolean()
    .describe(
      'whether instances can be given vCPUs and memory while they run, and the domain acted in has it turned on',
    ),
  instance_placements: z.boolean().describe('whether placements can be chosen for one instance'),
  placement_details: z
    .boolean()
    .describe('whether placements have a description, can isolate nodes, and can be changed'),
  image_import: z.boolean().describe('whether images are imported by their address'),
  recycle_bin: z.boolean().describe('whether deleted instances and volumes can be restored'),
  max_vcpus: z.number().int(),
  max_ram: z.number().int().describe('MiB'),
})
export type ComputeCapabilities = z.infer<typeof ComputeCapabilities>

export const ComputeCluster = z.object({
  /** `absent` where none is configured. */
  status: z.enum(['active', 'absent']),
  /** Settings of services beside it; null where they are not set up. */
  options: z.object({
    backup: z.object({ driver: z.string().nullable() }),
    notification_forwarding: z.object({ transport_url: z.string().nullable() }),
  }),
  configured: z.boolean(),
  /** Why not, for people. */
  advice: z.string().nullable(),
  engine: z.string(),
  hypervisor: z.string(),
  accelerator: z.string(),
  capabilities: ComputeCapabilities,
  /** Days for which deleted instances and volumes can be restored; 0 where they are deleted for good at once. */
  recycle_days: z.number().int(),
  /** Since when lists may be older than what there is; null while they follow. */
  outage: Outage.nullable(),
  os_distros: z.array(z.object({ id: z.string(), name: z.string(), os: z.string() })),
})
export type ComputeCluster = z.infer<typeof ComputeCluster>
export const listedDistros = osDistros

export const ComputeStat = z.object({
  servers: z.object({ total: z.number().int(), by_status: z.record(z.string(), z.number().int()) }),
  vcpus: z.object({ used: z.number(), total: z.number() }),
  ram: z.object({ used: z.number(), total: z.number() }).describe('MiB'),
  storage: z.object({ used: z.number(), total: z.number() }).describe('bytes'),
})
export type ComputeStat = z.infer<typeof ComputeStat>

export const computeCluster = endpoints({
  view: {
    verb: 'GET',
    path: '/api/v2/compute/cluster',
    needs: read('compute_cluster'),
    summary: 'The compute cluster',
    reply: ComputeCluster,
  },
  stat: {
    verb: 'GET',
    path: '/api/v2/compute/cluster/stat',
    needs: read('compute_stat'),
    summary: 'What is used and what there is',
    reply: ComputeStat,
  },
})
