import { commandsOf, type CommandWords } from '@mainstay/contract/core/command-words'
import { ANY_PARENT, parentNames, type Endpoint } from '@mainstay/contract/core/endpoint'
import { LEFT_OUT, type TaskRequest } from '@mainstay/contract/core/tasks'
import { allEndpoints } from '@mainstay/contract/resources'
import type { DryCall } from '../../api/dry-run'

/** A call with its full input, except secrets. */
export interface ShownRequest {
  verb: string
  /** With `:name` for parameters. */
  path: string
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  /** Body of the request; undefined if the call has none. */
  body: unknown
  /** Environment variables that stand for secrets in the body. */
  secrets: readonly string[]
  words: CommandWords
  /** Name of the call: `instances.create`. */
  id: string
}

const secretName = /password|secret|private_key|passphrase|community|^psk$/i
const mark = (name: string) => `\u0000${name}\u0000`

/** Replaces each secret with a marker and collects the variable names. */
function masked(value: unknown, secrets: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => masked(item, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
      if (inner === undefined) return []
      const isSecret = inner === LEFT_OUT || (typeof inner === 'string' && inner !== '' && secretName.test(name))
      if (!isSecret) return [[name, masked(inner, secrets)]]
      const variable = name.toUpperCase()
      secrets.add(variable)
      return [[name, mark(variable)]]
    }),
  )
}

// markers as escaped in JSON: with one backslash, or with two if also escaped for a shell
const marked = /"\\{1,2}u0000([A-Z0-9_]+)\\{1,2}u0000"/g

/** The body as JSON, with `"$PASSWORD"` for a secret. `escape` is applied to everything else. */
export const bodyText = (body: unknown, escape: (text: string) => string = (text) => text): string =>
  escape(JSON.stringify(body, null, 2)).replaceAll(marked, (_, name: string) => `"$${name}"`)

const commands = commandsOf(allEndpoints)
const isSame = (endpoint: Endpoint) => (it: { endpoint: Endpoint }) =>
  it.endpoint.verb === endpoint.verb && it.endpoint.path === endpoint.path

const asTexts = (query: Record<string, unknown> = {}) =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined || value === null || value === '' ? [] : [[name, String(value as string)]],
    ),
  )

/** The request to show for a call. */
export function shownRequest({ endpoint, input }: DryCall): ShownRequest {
  const command = commands.find(isSame(endpoint))
  const secrets = new Set<string>()
  const anyParent = Object.fromEntries(parentNames(endpoint.path).map((name) => [name, ANY_PARENT]))
  return {
    verb: endpoint.verb,
    path: endpoint.path,
    params: { ...anyParent, ...input.params },
    query: asTexts(input.query),
    body: input.body === undefined ? undefined : masked(input.body, secrets),
    secrets: [...secrets],
    words: command?.words ?? [],
    id: command ? `${command.resource}.${command.name}` : '',
  }
}

/** The request that started a task; null if the call does not exist in this release. */
export function keptRequest({ verb, path, params, query, body }: TaskRequest): ShownRequest | null {
  const endpoint = commands.find((it) => it.endpoint.verb === verb && it.endpoint.path === path)?.endpoint
  return endpoint ? shownRequest({ endpoint, input: { params, query, body: body ?? undefined } }) : null
}
