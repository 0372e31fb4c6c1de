import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { Statement } from './node-rules'

/**
 * `host_facts`: the programs that tell what the host is made of. `neighbors`: the switches that the host is connected
 * to. `balancer_pairs`: highly available load balancers. `other_hosts`: connections to other hosts of the installation.
 * The features from `virtual_machines` onwards exist only on the host of the management services.
 */
export const HostFeatureName = z.enum([
  ...(['privileges', 'disk_health', 'neighbors', 'host_facts'] as const),
  ...(['virtual_machines', 'disk_images', 'uefi', 'storage'] as const),
  ...(['networks', 'balancer_pairs', 'vpn', 'reach_checks'] as const),
  ...(['metrics', 'sample_image', 'other_hosts'] as const),
])
export type HostFeatureName = z.infer<typeof HostFeatureName>

/** Something that a host can do, or why it cannot. */
export const HostFeature = z.object({
  name: HostFeatureName,
  /** `limited`: works, with the disadvantages that `gaps` describes. */
  state: z.enum(['available', 'limited', 'missing']),
  detail: z.string().nullable().describe('Additional information, such as the hypervisor or a folder.'),
  gaps: z.array(
    z.object({
      reason: Statement,
      command: z
        .string()
        .nullable()
        .describe('Command to run on the host that closes the gap. Null if no command can close it.'),
    }),
  ),
})
export type HostFeature = z.infer<typeof HostFeature>

export const hostFeatures = endpoints({
  list: {
    verb: 'GET',
    path: '/api/v2/nodes/:id/host-features',
    needs: read('nodes'),
    summary:
      'List what the host of a node can and cannot do. Includes the reason for each gap, and the command that closes it.',
    reply: z.object({
      features: z.array(HostFeature),
      reason: Statement.nullable().describe('Why the features are not known. Null if they are known.'),
    }),
  },
})
