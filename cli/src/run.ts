import { ANY_PARENT, parentNames } from '@mainstay/contract/core/endpoint'
import { readArguments, UsageError, type ReadText } from './arguments'
import type { Call } from './calls'
import { accessFrom, CallError, createClient, pathOf, type Client } from './client'
import { commandHelp, groupHelp } from './help'
import { asTable } from './output'

/** The command's access to the environment, files and output. Specs replace it. */
export interface World {
  calls: readonly Call[]
  environment: Record<string, string | undefined>
  /** Reads a file (`@FILE`) or standard input (`-` or `@-`). */
  read: ReadText
  /** Opens a file for uploading. */
  open(file: string): Promise<Blob>
  out(text: string | Uint8Array): void
  err(text: string): void
}

export const exitCodes = { done: 0, failed: 1, usage: 2, notAllowed: 3, unreachable: 4 } as const

/** Finds the longest command name that the words start with. Returns the command and the remaining words. */
function commandIn(calls: readonly Call[], words: readonly string[]) {
  const found = calls
    .filter((call) => call.words.every((word, at) => words[at] === word))
    .toSorted((a, b) => b.words.length - a.words.length)[0]
  return found && { call: found, rest: words.slice(found.words.length) }
}

/** Returns IDs for the parents that were not given: the current domain or project, otherwise `ANY_PARENT`. */
async function otherParents(call: Call, given: Readonly<Record<string, string>>, client: Client) {
  const left = parentNames(call.path).filter((name) => given[name] === undefined)
  if (left.length === 0) return {}
  const me = (await client.json({ verb: 'GET', path: '/api/v2/accounts/whoami' })) as Record<string, string | null>
  return Object.fromEntries(left.map((name) => [name, me[name] ?? ANY_PARENT]))
}

async function perform(call: Call, rest: readonly string[], world: World): Promise<void> {
  const given = readArguments(call, rest, world.read)
  const client = createClient(accessFrom(world.environment, call.isOfAdminPanel), call.isPublic)
  try {
    const parents = await otherParents(call, given.params, client)
    const asked = {
      verb: call.verb,
      path: pathOf(call, { ...given.params, ...parents }),
      query: given.query,
      headers: given.headers,
      ...(given.body !== undefined && { body: given.body }),
      ...(given.file !== null && { file: await world.open(given.file) }),
    }
    if (call.answersBytes) {
      const { body } = await client.send(asked)
      for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) world.out(chunk)
      return
    }
    const answer = await client.json(asked)
    const text = given.output === 'json' ? JSON.stringify(answer, null, 2) : asTable(answer, given.columns)
    if (text !== undefined && text !== '') world.out(`${text}\n`)
  } finally {
    await client.close()
  }
}

/** Runs the command line that follows `mainstay`. Returns the exit code. */
export async function run(words: readonly string[], world: World): Promise<number> {
  const wantsHelp = words.includes('--help') || words.includes('-h') || words.length === 0
  const plain = words.filter((word) => word !== '--help' && word !== '-h')
  const found = commandIn(world.calls, plain)
  if (wantsHelp && found) {
    world.out(`${commandHelp(found.call)}\n`)
    return exitCodes.done
  }
  const group = plain.filter((word) => !word.startsWith('-'))
  const isGroup = world.calls.some((call) => group.every((word, at) => call.words[at] === word))
  if (wantsHelp && isGroup) {
    world.out(`${groupHelp(world.calls, group)}\n`)
    return exitCodes.done
  }
  if (!found) {
    world.err(`Unknown command "${plain.join(' ')}". Run "mainstay ${isGroup ? `${group.join(' ')} ` : ''}--help".\n`)
    return exitCodes.usage
  }
  try {
    await perform(found.call, found.rest, world)
    return exitCodes.done
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof CallError)) throw error
    world.err(`${error.message}\n`)
    if (error instanceof UsageError) return exitCodes.usage
    if (error.code === 'unknown_call' && found.call.isOfAdminPanel)
      world.err('This command is available only in the admin panel. Set MAINSTAY_ADMIN_URL to its URL.\n')
    if (error.status === 0) return exitCodes.unreachable
    return error.status === 401 || error.status === 403 ? exitCodes.notAllowed : exitCodes.failed
  }
}
