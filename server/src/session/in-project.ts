import { problem } from '@mainstay/contract/core/problems'
import type { ProjectScope, Scope } from '@mainstay/engines/ports/scope'

/** The scope as a project scope, which is required to create resources. Throws `forbidden` outside of a project. */
export function inProject(scope: Scope): ProjectScope {
  if (scope.project_id === null) throw problem('core.choose_project')
  return { ...scope, project_id: scope.project_id }
}
