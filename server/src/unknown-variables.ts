import { renamedVariables, variableDefaults } from './config'

const variableNames = Object.keys(variableDefaults)
/** Variables of the command-line client, documented in cli/src/help.ts. */
const ofTheClient = ['URL', 'ADMIN_URL', 'TOKEN', 'USERNAME', 'PASSWORD', 'DOMAIN', 'PROJECT']
/** Variables for tests, benchmarks and tools, by the first word of their names. */
const ofTools =
  /^(BENCH|BUSY|CLEAN_ROOM|CLOUD_LOGS|COST|ENDS_WITH|GUEST|PICTURES|PLAYWRIGHT|RECORD|STORM|TAB|TEST|TRACE)(_|$)/
const PREFIX = 'MAINSTAY_'
/** Maximum edit distance of a suggestion. */
const MOST_CHANGES = 4

/** Whether any part of Mainstay reads the variable. */
export const isKnownVariable = (name: string): boolean =>
  variableNames.includes(name) ||
  Object.hasOwn(renamedVariables, name) ||
  ofTheClient.includes(name.slice(PREFIX.length)) ||
  ofTools.test(name.slice(PREFIX.length))

/** Levenshtein distance: insertions, deletions and substitutions of single characters. */
function changesBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let line = 1; line <= from.length; line++) {
    const above = row
    row = [line]
    for (let at = 1; at <= to.length; at++) {
      const replaced = above[at - 1]! + (from[line - 1] === to[at - 1] ? 0 : 1)
      row.push(Math.min(replaced, above[at]! + 1, row[at - 1]! + 1))
    }
  }
  return row.at(-1)!
}

/** The known variable with the most similar name; null if none is similar enough. */
function closestTo(name: string): string | null {
  const [nearest] = variableNames
    .filter((known) => known.startsWith(PREFIX))
    .map((known) => ({ known, changes: changesBetween(name, known) }))
    .toSorted((a, b) => a.changes - b.changes)
  return nearest !== undefined && nearest.changes <= MOST_CHANGES ? nearest.known : null
}

/** Warning about a variable; null if there is none. */
function warningAbout(name: string): string | null {
  const current = renamedVariables[name]
  if (current !== undefined) return `${name} was renamed to ${current}. The old name still works.`
  if (isKnownVariable(name)) return null
  const closest = closestTo(name)
  const advice = closest === null ? 'See docs/settings.md for all settings.' : `Did you mean ${closest}?`
  return `${name} is not a setting and is ignored. ${advice}`
}

/**
 * Warnings about variables with the prefix `MAINSTAY_` that nothing reads (typos, or settings from another release), and
 * about former names of settings.
 */
export const unknownVariables = (environment: Record<string, string | undefined>): string[] =>
  Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX))
    .toSorted()
    .flatMap((name) => warningAbout(name) ?? [])
