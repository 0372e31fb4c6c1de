import { optionOf } from '@mainstay/contract/core/command-words'
import { parentNames } from '@mainstay/contract/core/endpoint'
import { ownOptions, placeOf } from './arguments'
import type { Call } from './calls'

const two = (lines: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...lines.map(([left]) => left.length))
  return lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd()).join('\n')
}

const environment = `  MAINSTAY_URL       URL of the portal or of the admin panel. Default: http://localhost:8800
  MAINSTAY_ADMIN_URL
                     URL of the admin panel, for operator commands. Default: MAINSTAY_URL,
                     then http://localhost:8888
  MAINSTAY_TOKEN     API token, created in the console under "Your account"
  MAINSTAY_USERNAME, MAINSTAY_PASSWORD, MAINSTAY_DOMAIN
                     credentials, instead of a token
  MAINSTAY_PROJECT   name or ID of the project, with credentials. Default: the first project`

const exits = `Exit codes: 0 success, 1 error from the server, 2 invalid command, 3 not signed in or not permitted,
4 server not reachable.`

/**
 * Returns the help for a prefix of words: the groups below it with their commands, or the commands in a single group.
 */
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
    `mainstay ${words.length > 0 ? `${words.join(' ')} ` : ''}COMMAND: command line for the Mainstay API`,
    '',
    two(lines),
    '',
    'Run "mainstay COMMAND --help" for the options of a command.',
    ...(words.length > 0 ? [] : ['', 'Environment:', environment, '', exits]),
  ].join('\n')
}

/** Returns the help for one command: description, arguments and options. */
export function commandHelp(call: Call): string {
  const { words, summary, description, path, params, options, body, isOfAdminPanel } = call
  const parents = parentNames(path)
  const places = params.filter((it) => !parents.includes(it)).map(placeOf)
  const lines: (readonly [string, string])[] = options.map(({ option, type, values, isRequired, help }) => [
    `${option} ${values ? values.join('|') : type === 'flag' ? '[true|false]' : type.toUpperCase()}`,
    `${isRequired ? 'Required. ' : ''}${help}`.trim(),
  ])
  for (const parent of parents)
    lines.push([`${optionOf(parent)} TEXT`, 'Default: your domain or project, otherwise any (-).'])
  if (body === 'fields' || body === 'whole')
    lines.push(['--body JSON', 'Complete request body. @FILE reads it from a file, - from standard input.'])
  if (body === 'bytes') lines.push(['--file FILE', 'Required. File to send.'])
  lines.push(...Object.entries(ownOptions))
  return [
    `mainstay ${[...words, ...places].join(' ')}`,
    '',
    summary,
    isOfAdminPanel ? `${description} Available only in the admin panel.` : description,
    '',
    two(lines),
    ...(options.some(({ type }) => type === 'text')
      ? ['', 'A TEXT value of the form @FILE is read from that file, @- from standard input.']
      : []),
  ].join('\n')
}
