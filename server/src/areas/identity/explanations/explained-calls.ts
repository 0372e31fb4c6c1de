import { paramNames } from '@mainstay/contract/core/endpoint'
import type { ExplainedCall } from '@mainstay/contract/identity/explanations'
import { resourceList, type Resource } from '@mainstay/contract/resources'

/** The list of a kind; null for one that is below something else. */
function listOf({ kind, calls: { list } }: Resource): ExplainedCall['objects'] {
  if (!kind || typeof list?.needs !== 'object' || paramNames(list.path).some((name) => name !== 'domain_id'))
    return null
  const { resource, ability } = list.needs
  return { list: list.path, needs: { resource, ability }, kind: kind.name, of_project: 'project_id' in kind.filters }
}

/** Every call of the contract, as it can be asked about. Its object is a row of its resource's kind: `:id` in the path. */
export const explainedCalls: readonly ExplainedCall[] = resourceList.flatMap(([resource, declared]) =>
  Object.entries(declared.calls).map(([called, { path, summary }]) => {
    const isAboutOne = declared.kind !== undefined && path.includes('/:id')
    return {
      name: `${resource}.${called}`,
      summary,
      objects: isAboutOne ? listOf(declared) : null,
      is_about_one: isAboutOne,
    }
  }),
)
