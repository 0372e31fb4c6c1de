import * as z from 'zod'
import type { RuleText } from '../core/said'
import { says } from '../core/said'
import { domainFeatures, type DomainFeature } from '../identity/domain-properties'
import { BackupTargetChange } from '../storage/backup-target'

/** Features that can be switched on or off: S1§9 `allow_live_resize`, `allow_live_resize_migration`, `HciComputeBackupEnabled`. */
export const computeFeatures = Object.keys(domainFeatures) as [DomainFeature, ...DomainFeature[]]
export const ComputeFeatures = z.record(z.enum(computeFeatures), z.boolean())
const FeatureList = z.array(z.enum(computeFeatures, says('compute.cluster_feature'))).max(computeFeatures.length)

/** Settings that clients may send although no engine can change them here, with the reason. */
const fixedClusterSettings = {
  cpu_model: says('compute.cluster_cpu_model'),
  cpu_features: says('compute.cluster_cpu_model'),
  external_address: says('compute.cluster_external_address'),
  external_network: says('compute.cluster_external_network'),
  notification_forwarding: says('compute.cluster_notifications'),
  scheduler: says('compute.cluster_scheduler'),
  custom_params: says('compute.cluster_custom_params'),
  default_storage_policy: says('compute.cluster_storage_policy'),
} as const satisfies Record<string, RuleText>

/** Each of these settings is refused with an error on its own field. */
const Fixed = Object.fromEntries(
  Object.entries(fixedClusterSettings).map(([name, reason]) => [name, z.never(reason).optional()]),
) as Record<keyof typeof fixedClusterSettings, z.ZodOptional<z.ZodNever>>

export const ComputeClusterDraft = z
  .strictObject({
    nodes: z
      .array(z.string().min(1).max(64))
      .max(100, says('core.too_many_items', { most: 100 }))
      .default([])
      .describe('IDs of the nodes; all if the list is empty.'),
    enable_features: FeatureList.default([]).describe(
      'Features that are enabled in domains without their own setting.',
    ),
    ...Fixed,
  })
  .meta({ examples: [{ nodes: [], enable_features: ['allow_live_resize'] }] })

export const ComputeClusterChange = z
  .strictObject({
    backup: BackupTargetChange.optional(),
    enable_features: FeatureList.optional().describe('Features to enable in domains without their own setting.'),
    disable_features: FeatureList.optional().describe('Features to disable in domains without their own setting.'),
    ...Fixed,
  })
  .meta({ examples: [{ backup: { driver: 'posix', posix_path: '/mnt/backups' } }] })
export type ComputeClusterChange = z.infer<typeof ComputeClusterChange>
