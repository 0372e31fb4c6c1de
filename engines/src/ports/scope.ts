import type { Role, ScopeKind } from '@mainstay/contract/permissions'
import type { Secret } from './secret'

/** Who asks, and where they act. The server makes it from a token; an engine trusts it. */
export interface Scope {
  kind: ScopeKind
  user_id: string
  user_name: string
  /** Domain of the project acted in; of the user where there is none. */
  domain_id: string
  /** Project acted in. In a system scope: where what is made belongs, the `admin` project. Null in a domain or none. */
  project_id: string | null
  roles: readonly Role[]
  /** The request's id, for logs and for the cloud behind the engine. */
  request_id: string
  /** What the caller calls this act (S1§7); kept with the task that it starts. */
  event?: string | null
  /**
   * By what the cloud behind the engine knows the caller, from their sign-in there. Not in the scopes of jobs, which
   * run when the caller has long gone.
   */
  credential?: Secret | null
}

/** A scope in which things can be made. */
export type ProjectScope = Scope & { project_id: string }
