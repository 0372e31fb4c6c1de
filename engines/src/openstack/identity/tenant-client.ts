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
      : 'Your account has no role in this project of the cloud; an administrator has to give it one',
    { data },
  )

/**
 * Calls with the token of who asks, in the project they act in. Tokens of projects are kept in memory until they end.
 * Throws `unauthorized` where the cloud no longer knows the caller, `forbidden` where they have no role there.
 */
export const actingIn =
  (cloud: Cloud) =>
  async (scope: Scope): Promise<ServiceClient> => {
    if (!scope.credential) throw new Problem('unauthorized', 'Sign in to go on')
    if (scope.project_id === null) throw new Problem('forbidden', 'Choose a project first')
    const { token, boundTo } = readCredential(scope.credential)
    if (boundTo !== null && boundTo !== scope.project_id)
      throw new Problem('forbidden', 'This application credential acts in its own project alone')
    const tokens = boundTo === null ? cloud.rescoped(token, scope.project_id) : cloud.bound(token)
    // a refusal comes before anything was done
    await tokens.token().catch((error: unknown) => {
      throw error instanceof Problem && error.code === 'forbidden' ? withoutRole(scope, error) : error
    })
    return cloud.callerFor(tokens, { requestId: scope.request_id })
  }
