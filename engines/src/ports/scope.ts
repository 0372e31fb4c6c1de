import type { Role, ScopeKind } from '@mainstay/contract/permissions'
import type { Secret } from './secret'

/** The caller, and the scope of the call. The server creates it from a token; engines trust it. */
export interface Scope {
  kind: ScopeKind
  user_id: string
  user_name: string
  /** Domain of the current project, or of the user if there is no project. */
  domain_id: string
  /**
   * The current project. In a system scope, this is the `admin` project, which owns new objects. Null in a domain scope
   * or without a scope.
   */
  project_id: string | null
  roles: readonly Role[]
  /** Request ID, for logs and for the cloud behind the engine. */
  request_id: string
  /** The caller's own label for the action (S1§7), stored with the task that it starts. */
  event?: string | null
  /**
   * Identifies the caller to the cloud behind the engine; it comes from the caller's sign-in. Not present in the scopes
   * of jobs, which may outlive the caller's session.
   */
  credential?: Secret | null
}

/** A scope in which resources can be created. */
export type ProjectScope = Scope & { project_id: string }
