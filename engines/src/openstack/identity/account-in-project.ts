import { problem } from '@mainstay/contract/core/problems'
import { createCache } from '../client/cache'
import type { Cloud } from '../client/cloud'
import type { ServiceClient } from '../client/service-client'
import type { TokenSource } from '../client/tokens'
import type { CloudSettings } from '../configuration/cloud-settings'
import type { Assigning } from './assigning'

/** Maximum number of projects with cached tokens. */
const keptProjects = 1_000

/**
 * Returns a function that creates clients for jobs. A client uses the service account as a member of a project, because
 * the cloud creates objects in the project of the token, and jobs do not have the token of a user. The role is assigned
 * each time, which changes nothing if the service account still has it. Throws an `unsupported` error if the service
 * account uses an application credential, which is bound to its own project.
 */
export function accountInProjects(options: {
  cloud: Cloud
  /** Tokens of the service account for its own project. */
  tokens: TokenSource
  credentials: CloudSettings['credentials']
  assigning: Pick<Assigning, 'inProject'>
}): (projectId: string) => Promise<ServiceClient> {
  const { cloud, tokens, credentials, assigning } = options
  // token sources do not expire; they renew their tokens
  const kept = createCache<TokenSource>(keptProjects, () => Infinity)
  return async (projectId) => {
    const { user, project } = await tokens.token()
    if (project?.id === projectId) return cloud.callerFor(tokens)
    if (credentials.method !== 'password') throw problem('storage.backups_need_password_account')
    await assigning.inProject(user.id, projectId, 'project_member')
    const scope = { project: { id: projectId } }
    return cloud.callerFor(await kept.get(projectId, async () => cloud.passwordTokens(credentials, scope)))
  }
}
