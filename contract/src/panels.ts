import { grantsAllow } from './core/abilities'
import type { Endpoint } from './core/endpoint'
import { grantsOf, resourceNames, tenantRoles, type Grants, type ResourceName } from './permissions'

/** Which of the two ports is called: the admin panel of operators, or the self-service portal of tenants. */
export type Panel = 'admin' | 'self-service'

/** The letters of both, in their order. */
const inBoth = (letters: string, others: string): string =>
  [...letters].filter((letter) => others.includes(letter)).join('')

/** Every right that some role of tenants gives in a project, in a domain or without either. */
const ofTenants: Grants = Object.fromEntries(
  resourceNames.flatMap((resource) => {
    const given = (['project', 'domain', 'none'] as const).map((scope) => grantsOf(tenantRoles, scope)[resource] ?? '')
    const letters = inBoth('CRUD', given.join(''))
    return letters === '' ? [] : [[resource, letters]]
  }),
)

/**
 * What of these rights counts at a port. The portal has none that operators alone have: its calls, sockets and console then
 * know nothing of what is done with them.
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
 * Whether a port has a call. The admin port has all of them. The portal has those that somebody may make who is no operator;
 * `panel: 'admin'` of a call keeps it from the portal though tenants have its right.
 */
export const isServedAt = (panel: Panel, { needs, panel: only }: Pick<Endpoint, 'needs' | 'panel'>): boolean =>
  panel === 'admin' ||
  (only !== 'admin' && (typeof needs !== 'object' || grantsAllow(ofTenants, needs.resource, needs.ability)))
