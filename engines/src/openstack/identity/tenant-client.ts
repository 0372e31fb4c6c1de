import { Problem } from '@mainstay/contract/core/problems'
import type { Scope } from '../../ports/scope'
import type { ServiceClient } from '../client/service-client'
import type { Cloud } from '../client/cloud'
import { readCredential } from './bound-credential'

const withoutRole = (scope: Scope, { data }: Problem): Problem =>
  new Problem(
    'forbidden',
    scope.kind === 'system'
      ? 'Your account has no role in the project in which the cloud’s administrators act'
      : scope.kind === 'domain'
        ? 'Your account has no role on this domain of the cloud; an administrator has to give it one'
        : 'Your account has no role in this project of the cloud; an administrator has to give it one',
    { data },
  )

async function clientIn(
  cloud: Cloud,
  scope: Scope,
  place: { id: string; on: 'project' | 'domain' },
): Promise<ServiceClient> {
  if (!scope.credential) throw new Problem('unauthorized', 'Sign in to go on')
  const { token, boundTo } = readCredential(scope.credential)
  if (boundTo !== null && boundTo !== place.id)
    throw new Problem('forbidden', 'This application credential acts in its own project alone')
  const tokens = boundTo === null ? cloud.rescoped(token, place.id, place.on) : cloud.bound(token)
  // a refusal comes before anything was done
  await tokens.token().catch((error: unknown) => {
    throw error instanceof Problem && error.code === 'forbidden' ? withoutRole(scope, error) : error
  })
  return cloud.callerFor(tokens, { requestId: scope.request_id })
}

/**
 * Calls with the token of who asks, in the project they act in. Tokens of projects are kept in memory until they end.
 * Throws `unauthorized` where the cloud no longer knows the caller, `forbidden` where they have no role there.
 */
export const actingIn =
  (cloud: Cloud) =>
  async (scope: Scope): Promise<ServiceClient> => {
    if (scope.credential && scope.project_id === null) throw new Problem('forbidden', 'Choose a project first')
    return clientIn(cloud, scope, { id: scope.project_id ?? '', on: 'project' })
  }

/** The same for what is done to who there is: a domain's administrator acts on the domain, without a project. */
export const administeringIn =
  (cloud: Cloud) =>
  (scope: Scope): Promise<ServiceClient> =>
    scope.kind === 'domain' ? clientIn(cloud, scope, { id: scope.domain_id, on: 'domain' }) : actingIn(cloud)(scope)
