import { completed, each, ignored, renamed, type CallTolerances } from '../core/tolerance'
import { networks } from './networks'
import { securityGroups } from './security-groups'

/** All domains are everyone, as all projects are. */
const sharedWithAll = each('rbac_policies', (policy) =>
  policy['target_domain'] === '*' ? renamed({ target_domain: 'target_project' })(policy) : policy,
)

export const networkingTolerances: CallTolerances = [
  // clients say of every network what only those on hardware have
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
