import { says } from '../core/said'
import * as z from 'zod'
import { isSharedWith, readersOf, type ActingIn } from '../core/readers'
import { Id } from '../core/names'

/*
 * Access to a network beyond its own project (S2§5). `direct`: instances can be attached to it. `routed`: routers can
 * use it as their external gateway, and floating IPs can be allocated from it. Either action makes the network visible.
 */
export const accessActions = ['direct', 'routed'] as const
export type AccessAction = (typeof accessActions)[number]

/** Access modes of shared networks (S2§9). `mixed` is direct plus routed, shown as full access. */
export const accessModes = ['routed', 'direct', 'mixed'] as const
export type AccessMode = (typeof accessModes)[number]

/** A project or domain to share a network with; `*` as the project means everyone. */
const Target = z.string().min(1).max(64)
const Actions = z
  .array(z.enum(accessActions))
  .min(1, says('networking.access_mode'))
  .transform((actions) => accessActions.filter((it) => actions.includes(it)))
export const NetworkAccessPolicy = z.union([
  z.strictObject({ target_project: Target, actions: Actions }),
  z.strictObject({ target_domain: Id, actions: Actions }),
])
export type NetworkAccessPolicy = z.infer<typeof NetworkAccessPolicy>

export const MAX_ACCESS_POLICIES = 500
export const NetworkAccessPolicies = z
  .array(NetworkAccessPolicy)
  .max(MAX_ACCESS_POLICIES, says('networking.too_many_policies', { most: MAX_ACCESS_POLICIES }))
  .superRefine((policies, context) => {
    const seen = new Set<string>()
    for (const [at, policy] of policies.entries()) {
      const name = 'target_project' in policy ? `project:${policy.target_project}` : `domain:${policy.target_domain}`
      if (seen.has(name)) context.addIssue({ code: 'custom', path: [at], message: says('networking.policy_twice') })
      seen.add(name)
    }
  })

/** Returns the mode for a set of actions; both together are `mixed`. */
export const modeOf = (actions: readonly AccessAction[]): AccessMode | null => {
  const [direct, routed] = [actions.includes('direct'), actions.includes('routed')]
  if (direct && routed) return 'mixed'
  return direct ? 'direct' : routed ? 'routed' : null
}
export const actionsOf = (mode: AccessMode): AccessAction[] => (mode === 'mixed' ? ['direct', 'routed'] : [mode])

/** Where networks store their policies, and the actions that make a row visible. */
export const sharedNetworks = { path: 'rbac_policies', actions: accessActions } as const

interface Shareable {
  project_id: string
  shared: boolean
  rbac_policies?: readonly unknown[] | undefined
}

/**
 * Whether a scope may use a network: system scopes and its own project always, others by policy. A `shared` network
 * grants direct access to everyone.
 */
export function mayUseNetwork(scope: ActingIn, network: Shareable, action: AccessAction): boolean {
  if (scope.kind === 'system' || network.project_id === scope.project_id) return true
  if (action === 'direct' && network.shared) return true
  return isSharedWith(scope, readersOf({ policies: { path: 'rbac_policies', actions: [action] } }, network))
}
