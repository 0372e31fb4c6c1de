import { variableDefaults } from './config'

const variableNames = Object.keys(variableDefaults)
/** What the command-line client reads: cli/src/help.ts explains each. */
const ofTheClient = ['URL', 'ADMIN_URL', 'TOKEN', 'USERNAME', 'PASSWORD', 'DOMAIN', 'PROJECT']
/** What tests, benches and tools read; in groups by their first word. */
const ofTools =
  /^(BENCH|BUSY|CLEAN_ROOM|CLOUD_LOGS|COST|ENDS_WITH|GUEST|PICTURES|PLAYWRIGHT|RECORD|STORM|TAB|TEST|TRACE)(_|$)/
const PREFIX = 'MAINSTAY_'
/** A name that differs in more places is another word. */
const MOST_CHANGES = 4

/** Whether something of Mainstay reads a variable. */
export const isKnownVariable = (name: string): boolean =>
  variableNames.includes(name) ||
  ofTheClient.includes(name.slice(PREFIX.length)) ||
  ofTools.test(name.slice(PREFIX.length))

/** Insertions, deletions and replacements of one character that make one text of another (Levenshtein). */
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

/** The known variable that a name was probably meant to be; null where none is near. */
function closestTo(name: string): string | null {
  const [nearest] = variableNames
    .filter((known) => known.startsWith(PREFIX))
    .map((known) => ({ known, changes: changesBetween(name, known) }))
    .toSorted((a, b) => a.changes - b.changes)
  return nearest !== undefined && nearest.changes <= MOST_CHANGES ? nearest.known : null
}

/** A sentence for each variable that begins with `MAINSTAY_` and that nothing reads: a typing error, or a setting of another release. */
export const unknownVariables = (environment: Record<string, string | undefined>): string[] =>
  Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !isKnownVariable(name))
    .toSorted()
    .map((name) => {
      const closest = closestTo(name)
      const advice = closest === null ? 'See docs/settings.md for all settings.' : `Did you mean ${closest}?`
      return `${name} is not a setting and is ignored. ${advice}`
    })
