import { completed, each, ignored, renamed, type CallTolerances } from '../core/tolerance'
import { networks } from './networks'
import { securityGroups } from './security-groups'

/** Sharing with all domains is the same as sharing with all projects. */
const sharedWithAll = each('rbac_policies', (policy) =>
  policy['target_domain'] === '*' ? renamed({ target_domain: 'target_project' })(policy) : policy,
)

export const networkingTolerances: CallTolerances = [
  // clients also send the fields of external networks for private networks
  [
    networks.createPrivate,
    {
      body: [
        ignored(['default_vnic_type'], (type) => type === 'normal'),
        ignored(['rbac_policies'], (policies) => Array.isArray(policies) && policies.length === 0),
      ],
    },
  ],
  ...[networks.createPublic, networks.createVlan, networks.update].map(
    (call) => [call, { body: [sharedWithAll] }] as const,
  ),
  ...[securityGroups.list, securityGroups.view, securityGroups.create, securityGroups.update, securityGroups.put].map(
    (call) => [call, { answer: [completed({ tags: [] })] }] as const,
  ),
]
