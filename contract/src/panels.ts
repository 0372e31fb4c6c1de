import { grantsAllow } from './core/abilities'
import type { Endpoint } from './core/endpoint'
import { grantsOf, resourceNames, tenantRoles, type Grants, type ResourceName } from './permissions'

/** Which port serves the request: the admin panel for operators, or the self-service portal for tenants. */
export type Panel = 'admin' | 'self-service'

/** Returns the letters that both strings contain, in the order of the first. */
const inBoth = (letters: string, others: string): string =>
  [...letters].filter((letter) => others.includes(letter)).join('')

/** All permissions that tenant roles grant in a project, in a domain or without either. */
const ofTenants: Grants = Object.fromEntries(
  resourceNames.flatMap((resource) => {
    const given = (['project', 'domain', 'none'] as const).map((scope) => grantsOf(tenantRoles, scope)[resource] ?? '')
    const letters = inBoth('CRUD', given.join(''))
    return letters === '' ? [] : [[resource, letters]]
  }),
)

/**
 * Grants that are effective on a port. On the self-service port, grants that only operators have are removed, so that
 * its calls, sockets and console never expose them.
 */
export const grantsAt = (panel: Panel, grants: Grants): Grants =>
  panel === 'admin'
    ? grants
    : Object.fromEntries(
        (Object.entries(grants) as [ResourceName, string][]).flatMap(([resource, letters]) => {
          const left = inBoth(letters, ofTenants[resource] ?? '')
          return left === '' ? [] : [[resource, left]]
        }),
      )

/**
 * Whether a call is served on a port. The admin port serves all calls. The self-service port serves those that a tenant
 * role permits, except calls with `panel: 'admin'`.
 */
export const isServedAt = (panel: Panel, { needs, panel: only }: Pick<Endpoint, 'needs' | 'panel'>): boolean =>
  panel === 'admin' ||
  (only !== 'admin' && (typeof needs !== 'object' || grantsAllow(ofTenants, needs.resource, needs.ability)))
