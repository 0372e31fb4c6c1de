import { problem } from '@mainstay/contract/core/problems'
import type { ProjectScope, Scope } from '@mainstay/engines/ports/scope'

/** The scope as one in which things can be made. Throws `forbidden` in a domain or in none. */
export function inProject(scope: Scope): ProjectScope {
  if (scope.project_id === null) throw problem('core.choose_project')
  return { ...scope, project_id: scope.project_id }
}
