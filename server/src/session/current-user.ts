import type { CurrentUser } from '@mainstay/contract/identity/session'
import type { SignedIn } from './signed-in'

/** The user in API responses. `token` is the unscoped token, which only login responses contain. */
export function currentUser(signedIn: SignedIn, tokens: { token?: string; scoped_token?: string } = {}): CurrentUser {
  const { user, domain, project, scope } = signedIn
  return {
    id: user.id,
    name: user.name,
    email: user.email,
    domain_id: user.domain_id,
    domain_name: domain.name,
    project_id: project?.id ?? null,
    roles: [...new Set([...user.roles, ...scope.roles])],
    is_superuser: user.is_superuser,
    token: tokens.token ?? null,
    scoped_token: tokens.scoped_token ?? null,
    external_provider: signedIn.external_provider,
    provider_sign_out: signedIn.signs_out,
  }
}
