import { paramNames, summaryOf } from '@mainstay/contract/core/endpoint'
import type { ExplainedCall } from '@mainstay/contract/identity/explanations'
import { resourceList, type Resource } from '@mainstay/contract/resources'

/** The list from which the object of a call is chosen. Null if the list belongs to another object. */
function listOf({ kind, calls: { list } }: Resource): ExplainedCall['objects'] {
  if (!kind || typeof list?.needs !== 'object' || paramNames(list.path).some((name) => name !== 'domain_id'))
    return null
  const { resource, ability } = list.needs
  return { list: list.path, needs: { resource, ability }, kind: kind.name, of_project: 'project_id' in kind.filters }
}

/**
 * All calls in the contract, with details on how to explain them. A call with `:id` in its path concerns a single
 * object.
 */
export const explainedCalls: readonly ExplainedCall[] = resourceList.flatMap(([resource, declared]) =>
  Object.entries(declared.calls).map(([called, call]) => {
    const isAboutOne = declared.kind !== undefined && call.path.includes('/:id')
    return {
      name: `${resource}.${called}`,
      summary: summaryOf(call),
      objects: isAboutOne ? listOf(declared) : null,
      is_about_one: isAboutOne,
    }
  }),
)
