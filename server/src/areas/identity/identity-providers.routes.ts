import { badField, Problem } from '@mainstay/contract/core/problems'
import type { DomainProvider, MappingOutcome } from '@mainstay/contract/identity/identity-providers'
import { resources } from '@mainstay/contract/resources'
import type { FederationPort } from '@mainstay/engines/ports/federation'
import type { Scope } from '@mainstay/engines/ports/scope'
import { entryWords } from '../../federation/federation'
import { mapClaims } from '../../federation/mapping'
import { createRates, takeOne } from '../../http/overload/rates'
import { serve } from '../../http/serve'
import { limits } from '../../limits'
import type { Tools } from '../../tools'
import { directoryOf, domainOfRow, readInDomain, requireDomain } from './directory.service'

const { kind, calls } = resources.identityProviders
const fromIndex = readInDomain<DomainProvider>(kind)

/** Each has an address asked that the caller names. */
const tests = createRates(limits.testedProviders)

function federationOf(tools: Tools): FederationPort {
  directoryOf(tools)
  const { federation } = tools.identity
  if (!federation) throw new Problem('unsupported', 'The cloud behind this console keeps its identity providers itself')
  return federation
}

interface InDomain {
  scope: Scope
  params: { domain_id: string }
}

/** The federation, where the scope acts in the domain. */
async function inDomain({ scope, params }: InDomain, tools: Tools): Promise<FederationPort> {
  const federation = federationOf(tools)
  await requireDomain(scope, params.domain_id, tools)
  return federation
}

export const identityProviderRoutes = serve(
  calls,
  {
    ...fromIndex,

    async create({ scope, params, body }, tools) {
      const { providers } = await inDomain({ scope, params }, tools)
      const { client_secret: secret } = body
      return providers.create(scope, params.domain_id, body, (id) =>
        secret === null ? null : tools.federation.seal(secret, id),
      )
    },

    async update({ scope, params, body }, tools) {
      const { providers } = federationOf(tools)
      const before = await fromIndex.view({ scope, params }, tools)
      const { client_secret: secret } = body
      const isElsewhere = (['issuer', 'metadata_url'] as const).some(
        (field) => body[field] !== undefined && body[field] !== before[field],
      )
      // a secret goes where it was given for
      if (isElsewhere && before.has_secret && secret === undefined)
        throw badField('client_secret', 'Enter the client secret again: it was saved for another address')
      return providers.update(
        scope,
        before.domain_id,
        params.id,
        body,
        secret === undefined ? null : (id) => (secret === null ? null : tools.federation.seal(secret, id)),
      )
    },

    async delete({ scope, params, query }, tools) {
      const { providers } = federationOf(tools)
      const domainId = await domainOfRow(kind, scope, params, tools)
      await providers.delete(scope, domainId, params.id, { withUsers: query.delete_users === 'true' })
    },

    async test({ scope, params, body, caller }, tools) {
      await inDomain({ scope, params }, tools)
      takeOne(tests, caller.user.id, 'to identity providers')
      return tools.federation.test(body)
    },

    async preview({ scope, params, body }, tools): Promise<MappingOutcome> {
      const federation = await inDomain({ scope, params }, tools)
      await federation.checkMapping(scope, params.domain_id, body.mapping)
      const nothing = { name: null, email: null, is_new: false, groups: [], domain_permissions: [], projects: [] }
      const found = mapClaims(body.mapping, body.claims)
      if (found.refusal) return { ...nothing, refusal: found.refusal, rules: found.rules }
      const { mapped, rules } = found
      const { sub } = body.claims
      const subject = typeof sub === 'string' ? sub : ''
      const { refusal, is_new, groups, projects } = await federation.check(
        params.domain_id,
        body.provider_id,
        subject,
        mapped,
      )
      return {
        refusal: refusal && { reason: refusal, message: entryWords[refusal] },
        ...{ name: mapped.name, email: mapped.email, domain_permissions: mapped.domain_permissions },
        ...{ is_new, groups, projects, rules },
      }
    },
  },
  { kind },
)
