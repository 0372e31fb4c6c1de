import type { Endpoint } from './endpoint'

const inWords = (name: string) =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()
const api = '/api/v2/'

/**
 * Returns the command words derived from a path, such as `compute servers`. Parents are omitted: the projects of a
 * domain become `projects`.
 */
const wordsOf = (path: string): string[] => {
  const steps = path.slice(api.length).split('/')
  return steps.filter((step, at) => !step.startsWith(':') && !steps[at + 1]?.startsWith(':')).map(inWords)
}

/** Words of a command without its arguments: `['compute', 'servers', 'list']`. */
export type CommandWords = readonly string[]

/**
 * Returns the commands of the `mainstay` CLI, one per call. If all calls of a resource are below its list path, the
 * commands start with the words of that path; otherwise, they start with the resource name. The last word is the name
 * of the call.
 */
export function commandsOf(
  tables: Record<string, Record<string, Endpoint>>,
): { words: CommandWords; endpoint: Endpoint; resource: string; name: string }[] {
  return Object.entries(tables).flatMap(([resource, table]) => {
    const list = table['list']?.path
    const isBelow = (path: string) => list !== undefined && (path === list || path.startsWith(`${list}/`))
    const group =
      list?.startsWith(api) && Object.values(table).every(({ path }) => isBelow(path))
        ? wordsOf(list)
        : [inWords(resource)]
    return Object.entries(table).map(([name, endpoint]) => ({
      words: [...group, inWords(name)],
      endpoint,
      resource,
      name,
    }))
  })
}

/** Returns the command-line option for a field of a call: `security_groups` becomes `--security-groups`. */
export const optionOf = (field: string): string => `--${inWords(field)}`
