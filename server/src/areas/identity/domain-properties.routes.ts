import {
  domainProperties,
  isDomainFeature,
  propertyAccess,
  PropertyKey,
  sizeFault,
  type PropertyAccess,
} from '@mainstay/contract/identity/domain-properties'
import { DEFAULT_DOMAIN_ID } from '@mainstay/contract/identity/default-domain'
import { domainKind, type Domain } from '@mainstay/contract/identity/domains'
import { GENERAL_THEME, isThemeKey, THEME } from '@mainstay/contract/identity/themes'
import { notFound, fieldProblem, problemOf, ruleIn } from '@mainstay/contract/core/problems'
import type { Scope } from '@mainstay/engines/ports/scope'
import { serve } from '../../http/serve'
import { unauthorized } from '../../session/signed-in'
import { serverScope } from '../../tasks/server-scope'
import type { Tools } from '../../tools'
import { checkedTheme } from './checked-theme'

type Named = Pick<Domain, 'id' | 'name'>

/** Returns a domain by its ID or its name, which command-line clients use. Throws `not_found`. */
async function domainOf({ identity, inventory }: Tools, idOrName: string): Promise<Named> {
  const byId = await identity.domain(idOrName)
  if (byId) return byId
  const { data } = await inventory.list<Domain>(domainKind, serverScope, { limit: 1, name: `exact:${idOrName}` })
  if (!data[0]) throw notFound()
  return data[0]
}

/** Like `domainOf`, but also throws `not_found` if the domain is outside the scope. */
async function ownDomain(tools: Tools, scope: Scope, idOrName: string): Promise<Named> {
  const domain = await domainOf(tools, idOrName)
  if (scope.kind !== 'system' && domain.id !== scope.domain_id) throw notFound()
  return domain
}

/** Returns the stored property. A feature that is not stored has a default, which users of the domain can read. */
const propertyOf = async ({ domainProperties: kept }: Tools, domainId: string, key: string) =>
  (await kept.find(domainId, key)) ??
  (isDomainFeature(key) ? { data: (await kept.features())[key], access: 'auth' as const } : null)

/** Access levels that the scope can read in its own domain. */
const readableBy = ({ kind, roles }: Scope): readonly PropertyAccess[] =>
  kind === 'system' || kind === 'domain' || roles.includes('domain_admin') ? propertyAccess : ['pub', 'auth']

/**
 * Returns the theme of a domain, which is readable without signing in. Unknown domains and domains without a theme get
 * the general theme.
 */
async function themeOf({ domainProperties: kept }: Tools, domain: Named | null): Promise<unknown> {
  const own = domain && (await kept.find(domain.id, THEME))
  return (own ?? (await kept.find(DEFAULT_DOMAIN_ID, GENERAL_THEME)))?.data ?? {}
}

/**
 * Validates a property's data before it is stored. Throws a `validation` error on the field, or on the theme's invalid
 * part.
 */
function checkedData(key: string, data: unknown): unknown {
  if (isThemeKey(key)) return checkedTheme(data)
  const fault = sizeFault(key, data)
  if (fault) throw problemOf(fault, { field: 'data' })
  return data
}

/** Themes are always public, because the sign-in page needs them. */
const accessOf = <Access extends PropertyAccess | undefined>(key: string, access: Access) =>
  isThemeKey(key) ? 'pub' : access

function checkKey(key: string): string {
  const parsed = PropertyKey.safeParse(key)
  if (!parsed.success) throw problemOf(ruleIn(parsed.error), { field: 'key' })
  return parsed.data
}

export const domainPropertyRoutes = serve(domainProperties, {
  async all({ scope }, tools) {
    const rows = await tools.domainProperties.keys(scope.kind === 'system' ? null : scope.domain_id, readableBy(scope))
    return Promise.all(
      rows.map(async ({ domain_id, keys }) => ({
        domain: (await tools.identity.domain(domain_id))?.name ?? domain_id,
        keys,
      })),
    )
  },
  async list({ scope, params }, tools) {
    const { id } = await ownDomain(tools, scope, params.domain_id)
    return tools.domainProperties.list(id, readableBy(scope))
  },
  async view({ params, request }, tools) {
    const domain = await domainOf(tools, params.domain_id).catch(() => null)
    if (params.key === THEME) return themeOf(tools, domain)
    const property = domain && (await propertyOf(tools, domain.id, params.key))
    if (property?.access === 'pub') return property.data
    // unauthenticated callers must not learn whether the property exists
    if (request.token === null) throw unauthorized()
    const { scope } = await tools.sessions.resolve(request.token, request.id, { panel: request.panel })
    if (!domain || !property) throw notFound()
    if (scope.kind !== 'system' && domain.id !== scope.domain_id) throw notFound()
    if (scope.kind === 'none' || !readableBy(scope).includes(property.access)) throw notFound()
    return property.data
  },
  async create({ scope, params, body }, tools) {
    const { id } = await ownDomain(tools, scope, params.domain_id)
    const key = checkKey(params.key)
    const data = checkedData(key, body.data)
    return tools.domainProperties.create(id, { key, data, access: accessOf(key, body.access) })
  },
  async update({ scope, params, body }, tools) {
    const { id } = await ownDomain(tools, scope, params.domain_id)
    const data = checkedData(params.key, body.data)
    return tools.domainProperties.update(id, params.key, { data, access: accessOf(params.key, body.access) })
  },
  async setAccess({ scope, params, body }, tools) {
    const { id } = await ownDomain(tools, scope, params.domain_id)
    if (isThemeKey(params.key) && body.access !== 'pub') throw fieldProblem('access', 'identity.theme_is_public')
    return tools.domainProperties.update(id, params.key, body)
  },
  async delete({ scope, params }, tools) {
    const { id } = await ownDomain(tools, scope, params.domain_id)
    await tools.domainProperties.delete(id, params.key)
  },
})
