import { optionOf } from '@mainstay/contract/core/command-words'
import { parentNames } from '@mainstay/contract/core/endpoint'
import { ownOptions, placeOf } from './arguments'
import type { Call } from './calls'

const two = (lines: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...lines.map(([left]) => left.length))
  return lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd()).join('\n')
}

const environment = `  MAINSTAY_URL       address of the portal, or of the admin panel; http://localhost:8800
  MAINSTAY_ADMIN_URL
                     address of the admin panel, for what only operators do; MAINSTAY_URL where it is not set
  MAINSTAY_TOKEN     a token for programs, made under "Your account"
  MAINSTAY_USERNAME, MAINSTAY_PASSWORD, MAINSTAY_DOMAIN
                     instead of a token
  MAINSTAY_PROJECT   name or id of the project to work in, with a password; the first one where it is not set`

const exits = `Exits with 0 when it is done, 1 when the server refused or failed, 2 when the command is wrong,
3 when nobody is signed in or the right is missing, 4 when the server does not answer.`

/** Commands below some words: groups with how many, or commands with what they do. */
export function groupHelp(calls: readonly Call[], words: readonly string[]): string {
  const below = calls.filter((call) => words.every((word, at) => call.words[at] === word))
  const groups = new Map<string, Call[]>()
  for (const call of below) {
    const group = call.words.slice(0, -1).join(' ')
    groups.set(group, [...(groups.get(group) ?? []), call])
  }
  const [only] = groups.size === 1 ? groups.values() : []
  const lines = only
    ? only.map((call) => [call.words.join(' '), call.summary] as const)
    : [...groups].map(([group, of]) => [group, of.map((call) => call.words.at(-1)).join(', ')] as const)
  return [
    `mainstay ${words.length > 0 ? `${words.join(' ')} ` : ''}COMMAND: the Mainstay API from the command line`,
    '',
    two(lines),
    '',
    '"mainstay COMMAND --help" tells what a command takes.',
    ...(words.length > 0 ? [] : ['', 'Environment:', environment, '', exits]),
  ].join('\n')
}

/** What one command does and takes. */
export function commandHelp(call: Call): string {
  const { words, summary, access, path, params, options, body, isOfAdminPanel } = call
  const parents = parentNames(path)
  const places = params.filter((it) => !parents.includes(it)).map(placeOf)
  const lines: (readonly [string, string])[] = options.map(({ option, type, values, isRequired, help }) => [
    `${option} ${values ? values.join('|') : type === 'flag' ? '[true|false]' : type.toUpperCase()}`,
    `${isRequired ? 'Required. ' : ''}${help}`.trim(),
  ])
  for (const parent of parents)
    lines.push([`${optionOf(parent)} TEXT`, 'Default: your own domain or project, otherwise any (-).'])
  if (body === 'fields' || body === 'whole')
    lines.push(['--body JSON', 'The whole body; @FILE reads it from a file, - from the standard input.'])
  if (body === 'bytes') lines.push(['--file FILE', 'Required. What is sent.'])
  lines.push(...Object.entries(ownOptions))
  return [
    `mainstay ${[...words, ...places].join(' ')}`,
    '',
    summary,
    isOfAdminPanel ? `${access} In the admin panel only.` : access,
    '',
    two(lines),
    ...(options.some(({ type }) => type === 'text')
      ? ['', 'A text that begins with @ is read from the file of that name; @- from the standard input.']
      : []),
  ].join('\n')
}
