import { problem } from '@mainstay/contract/core/problems'
import type { ApplicationRef, Authenticated } from '../../ports/identity'
import type { Secret } from '../../ports/secret'
import type { Cloud } from '../client/cloud'
import type { Credentials } from '../client/credentials'
import { boundCredential } from './bound-credential'
import { onAuthenticated, nullIfInvalidCredential } from './on-authenticated'
import type { Lookups } from './lookups'
import { rolesOf } from './roles'

const credentialsOf = (ref: ApplicationRef, secret: Secret): Credentials =>
  'id' in ref
    ? { method: 'application_credential', id: ref.id, secret }
    : {
        method: 'application_credential',
        name: ref.name,
        user: { name: ref.username, domain: { name: ref.domainName } },
        secret,
      }

/** Signs in with an application credential, limited to its project and its roles. */
export const applicationSignIn =
  (cloud: Cloud, lookups: Lookups) =>
  async (ref: ApplicationRef, secret: Secret): Promise<Authenticated | null> => {
    const token = await cloud.authenticate(credentialsOf(ref, secret)).catch(nullIfInvalidCredential)
    if (!token) return null
    // the index cannot enforce access rules
    if (token.hasAccessRules) throw problem('identity.credential_access_rules')
    const { project, roles } = token
    if (!project) throw problem('identity.credential_without_project')
    const known = await onAuthenticated(lookups, token)
    const assignments = roles.map((role) => ({ role, scope: { project: { id: project.id } } }))
    return {
      ...known,
      credential: boundCredential(token.id, project.id),
      bound: { project_id: project.id, ...rolesOf(assignments, known.user.domain_id) },
    }
  }
