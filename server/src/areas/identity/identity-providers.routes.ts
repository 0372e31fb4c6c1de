import { problem, fieldProblem, problemOf, ruleIn } from '@mainstay/contract/core/problems'
import {
  OpenIdIssuer,
  type DomainProvider,
  type ProviderChange,
  type ProviderDraft,
} from '@mainstay/contract/identity/identity-providers'
import type { MappingOutcome } from '@mainstay/contract/identity/provider-mapping'
import { resources } from '@mainstay/contract/resources'
import type { FederationPort, NewProvider, ProviderUpdate } from '@mainstay/engines/ports/federation'
import type { Scope } from '@mainstay/engines/ports/scope'
import { entryWords } from '../../federation/federation'
import { mapClaims } from '../../federation/mapping'
import { HandOverRefusal } from '../../federation/refusal'
import { BadCertificate, readCertificate } from '../../federation/saml/metadata'
import { createRates, takeOne } from '../../http/overload/rates'
import { requireParent } from '../../http/rows/parents'
import { serveResource } from '../../http/serve-resource'
import { limits } from '../../limits'
import type { Tools } from '../../tools'
import { directoryOf, readDirectory } from './directory.service'

const { kind } = resources.identityProviders
const fromIndex = readDirectory<DomainProvider>(kind)

/** Rate-limited because each test sends requests to a URL chosen by the caller. */
const tests = createRates(limits.testedProviders)
/** Rate-limited because each check costs as much CPU time as several password checks. */
const checks = createRates(limits.testedProviders)

function federationOf(tools: Tools): FederationPort {
  directoryOf(tools)
  const { federation } = tools.identity
  if (!federation) throw problem('identity.providers_of_cloud')
  return federation
}

interface InDomain {
  scope: Scope
  params: { domain_id: string }
}

/** Operators know their networks. Other callers must not learn which internal hosts respond. */
const isOperator = ({ kind: place }: Scope): boolean => place === 'system'

/** Returns the federation port. Throws `not_found` if the domain is outside the scope. */
async function inDomain({ scope, params }: InDomain, tools: Tools): Promise<FederationPort> {
  const federation = federationOf(tools)
  await requireParent(kind, scope, params, tools)
  return federation
}

/**
 * Builds provider settings from a draft. For SAML, they are read from the metadata if the draft includes it or its URL.
 */
async function settingsOf(draft: ProviderDraft, scope: Scope, { federation }: Tools): Promise<NewProvider> {
  const { name, enabled, protocol, metadata_url, request_timeout, mapping } = draft
  const common = { name, enabled, protocol, metadata_url, request_timeout, mapping }
  if (protocol === 'openid') {
    const { issuer, client_id, scope } = draft
    return { ...common, issuer: issuer!, client_id, scope, sso_url: null, certificates: [] }
  }
  const none = { client_id: null, scope: null }
  if (draft.metadata === null && metadata_url === null)
    return {
      ...{ ...common, ...none, issuer: draft.issuer!, sso_url: draft.sso_url! },
      certificates: certificatesOf(draft.certificates),
    }
  const { skipped: _, ...found } = await federation.readMetadata(draft, isOperator(scope))
  return { ...common, ...none, ...found }
}

/**
 * Converts certificates to PEM format for storage. Throws a `validation` error with the index of an invalid
 * certificate.
 */
const certificatesOf = (texts: readonly string[]): string[] =>
  texts.map((it, at) => {
    try {
      return readCertificate(it).pem
    } catch (error) {
      if (error instanceof BadCertificate)
        throw fieldProblem(`certificates.${at}`, 'identity.certificate_refused', { reason: error.message })
      throw error
    }
  })

/** Settings that an update changes, validated against the provider's protocol. */
async function changeOf(
  before: DomainProvider,
  change: ProviderChange,
  by: Scope,
  { federation }: Tools,
): Promise<ProviderUpdate> {
  const { client_secret, metadata, response_type: _, verify_ssl: _tls, ...rest } = change
  const isOpenId = before.protocol === 'openid'
  const foreign = isOpenId
    ? (['metadata', 'sso_url', 'certificates'] as const)
    : (['client_id', 'client_secret'] as const)
  for (const field of foreign)
    if (change[field] !== undefined && change[field] !== null)
      throw fieldProblem(field, isOpenId ? 'identity.belongs_to_saml' : 'identity.belongs_to_openid')
  if (isOpenId) {
    const issuer = rest.issuer === undefined ? null : OpenIdIssuer.safeParse(rest.issuer)
    if (issuer?.error) throw problemOf(ruleIn(issuer.error), { field: 'issuer' })
    return rest
  }
  const { scope: _scope, certificates, ...wanted } = rest
  if (wanted.sso_url === null) throw fieldProblem('sso_url', 'identity.enter_sso_url')
  if (certificates?.length === 0) throw fieldProblem('certificates', 'identity.enter_signing_certificate')
  if (before.metadata_url !== null && rest.metadata_url === undefined)
    for (const field of ['issuer', 'sso_url', 'certificates'] as const)
      if (rest[field] !== undefined) throw fieldProblem(field, 'identity.metadata_set')
  const from = { metadata: metadata ?? null, metadata_url: metadata ? null : (rest.metadata_url ?? null) }
  if (from.metadata === null && from.metadata_url === null)
    return { ...wanted, ...(certificates && { certificates: certificatesOf(certificates) }) }
  const request_timeout = rest.request_timeout ?? before.request_timeout
  const source = { ...from, issuer: rest.issuer ?? null, request_timeout }
  const { skipped: _skipped, ...found } = await federation.readMetadata(source, isOperator(by))
  return { ...wanted, metadata_url: from.metadata_url, ...found }
}

export const identityProviderRoutes = serveResource(
  resources.identityProviders,
  (tools) => federationOf(tools).providers,
  {
    ...fromIndex,

    async create({ scope, params, body }, tools) {
      const { providers } = await inDomain({ scope, params }, tools)
      const { client_secret: secret } = body
      return providers.create(scope, params.domain_id, await settingsOf(body, scope, tools), (id) =>
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
      // a stored secret must never be sent to a URL other than the one it was entered for
      if (isElsewhere && before.has_secret && secret === undefined)
        throw fieldProblem('client_secret', 'identity.secret_again')
      return providers.update(
        scope,
        before.domain_id,
        params.id,
        await changeOf(before, body, scope, tools),
        secret === undefined ? null : (id) => (secret === null ? null : tools.federation.seal(secret, id)),
      )
    },

    async delete({ scope, params, query }, tools) {
      const { providers } = federationOf(tools)
      const { domain_id, id } = await fromIndex.view({ scope, params }, tools)
      await providers.delete(scope, domain_id, id, { withUsers: query.delete_users === 'true' })
    },

    async test({ scope, params, body, caller }, tools) {
      await inDomain({ scope, params }, tools)
      takeOne(tests, caller.user.id, 'providers')
      return tools.federation.test(body, isOperator(scope))
    },

    async readMetadata({ scope, params, body, caller }, tools) {
      await inDomain({ scope, params }, tools)
      takeOne(tests, caller.user.id, 'providers')
      const found = await tools.federation.readMetadata(body, isOperator(scope))
      return { ...found, certificates: found.certificates.map(readCertificate) }
    },

    async readResponse({ scope, params, body, request, caller }, tools) {
      federationOf(tools)
      takeOne(checks, caller.user.id, 'responses')
      const provider = await fromIndex.view({ scope, params }, tools)
      if (provider.protocol !== 'saml') throw fieldProblem('response', 'identity.responses_of_saml')
      if (tools.consoleAddresses.of('self-service', request) === null) throw problem('identity.console_address_unknown')
      const ownAddress = tools.consoleAddresses.ofSignIn('self-service', request)
      try {
        return { refusal: null, claims: await tools.federation.readResponse(provider, body.response, ownAddress) }
      } catch (error) {
        if (!(error instanceof HandOverRefusal)) throw error
        return { refusal: { reason: error.reason, message: error.message }, claims: null }
      }
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
)
