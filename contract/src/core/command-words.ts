import type { Endpoint } from './endpoint'

const inWords = (name: string) =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()
const api = '/api/v2/'

/** The words of an address: `compute servers`; what stands in another thing goes without it, as `projects` of a domain. */
const wordsOf = (path: string): string[] => {
  const steps = path.slice(api.length).split('/')
  return steps.filter((step, at) => !step.startsWith(':') && !steps[at + 1]?.startsWith(':')).map(inWords)
}

/** The command of a call, without what it takes: `['compute', 'servers', 'list']`. */
export type CommandWords = readonly string[]

/**
 * How the `mainstay` command calls each call. A resource whose calls all stand below the address of its list has the words
 * of that address, any other its own name; the call's name is the last word.
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

/** A field of a call as an option of its command: `security_groups` is `--security-groups`. */
export const optionOf = (field: string): string => `--${inWords(field)}`
