import { says } from '@mainstay/contract/core/said'
import { Problem, problem, problemOf } from '@mainstay/contract/core/problems'
import type { Scope } from '../../ports/scope'
import type { ServiceClient } from '../client/service-client'
import type { Cloud } from '../client/cloud'
import { readCredential } from './bound-credential'

const withoutRole = (scope: Scope, { data }: Problem): Problem =>
  problemOf(
    scope.kind === 'system'
      ? says('identity.no_role_of_administrators')
      : scope.kind === 'domain'
        ? says('identity.no_role_on_domain')
        : says('identity.no_role_in_project'),
    { data },
  )

async function clientIn(
  cloud: Cloud,
  scope: Scope,
  place: { id: string; on: 'project' | 'domain' },
): Promise<ServiceClient> {
  if (!scope.credential) throw problem('identity.sign_in')
  const { token, boundTo } = readCredential(scope.credential)
  if (boundTo !== null && boundTo !== place.id) throw problem('identity.credential_of_project')
  const tokens = boundTo === null ? cloud.rescoped(token, place.id, place.on) : cloud.bound(token)
  // request the token first, so that a missing role is reported before the command is sent
  await tokens.token().catch((error: unknown) => {
    throw error instanceof Problem && error.code === 'forbidden' ? withoutRole(scope, error) : error
  })
  return cloud.callerFor(tokens, { requestId: scope.request_id })
}

/**
 * Returns a client with the caller's token in the scope's project. Project tokens are cached until they expire. Throws
 * `unauthorized` if the cloud no longer accepts the caller, and `forbidden` if the caller has no role in the project.
 */
export const actingIn =
  (cloud: Cloud) =>
  async (scope: Scope): Promise<ServiceClient> => {
    if (scope.credential && scope.project_id === null) throw problem('core.choose_project')
    return clientIn(cloud, scope, { id: scope.project_id ?? '', on: 'project' })
  }

/**
 * Like `actingIn`, but for identity commands: a domain administrator's token is scoped to the domain instead of a
 * project.
 */
export const administeringIn =
  (cloud: Cloud) =>
  (scope: Scope): Promise<ServiceClient> =>
    scope.kind === 'domain' ? clientIn(cloud, scope, { id: scope.domain_id, on: 'domain' }) : actingIn(cloud)(scope)
