import { Problem, problem } from '@mainstay/contract/core/problems'
import { says } from '@mainstay/contract/core/said'
import pLimit from 'p-limit'
import type * as z from 'zod'
import { LinkFault } from '../hosts/link-fault'
import type { Ended, NodeLink } from '../hosts/node-link'

/** Where the program `ceph` finds the cluster, and the user that it acts as. */
export interface CephPlace {
  conf: string
  /** Null: the keyring that is named in the configuration file. */
  keyring: string | null
  /** The user, such as `client.admin`. */
  user: string
}

/** Error numbers with which the program `ceph` ends. */
const errno = { missing: 2, access: 13, busy: 16, notEmpty: 39 } as const

/** A command that the cluster refused. `reason` distinguishes the refusals that callers handle. */
export class CephRefusal extends Problem {
  readonly reason: 'missing' | 'busy' | 'not_empty' | 'other'

  constructor(status: number, values: { command: string; reason: string }) {
    super('conflict', says('infrastructure.ceph_refused', values))
    this.reason =
      { [errno.missing]: 'missing' as const, [errno.busy]: 'busy' as const, [errno.notEmpty]: 'not_empty' as const }[
        status
      ] ?? 'other'
  }
}

/** Runs commands of the program `ceph`. Throws a `Problem` with advice if the cluster cannot be used. */
export interface CephCommands {
  /** Runs a command that returns JSON. Throws a `CephRefusal` if the cluster refuses it. */
  read<Reply>(shape: z.ZodType<Reply>, words: readonly string[], signal?: AbortSignal): Promise<Reply>
  /** Runs a command whose output is not needed. Throws a `CephRefusal` if the cluster refuses it. */
  change(words: readonly string[], signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

const WITHIN_MS = 10_000
/** The time after which the program itself stops to look for a monitor: it then says why. */
const CONNECT_WITHIN_S = 7
/** The map of 10 000 OSDs has about 15 MB. */
const MOST = 32 * 1024 * 1024
/** Each command is a Python process of about 50 MB. */
const AT_ONCE = 3
const REASON_LENGTH = 300

/** The last line that the program wrote, without its prefix. */
function reasonIn({ err, out, status }: Ended): string {
  const lines = (err.trim() || out.trim()).split('\n')
  const told = lines.findLast((line) => /^(Error [A-Z]+:|\[errno \d+\])/.test(line)) ?? lines.at(-1) ?? ''
  const reason = told.replace(/^Error ([A-Z]+):/, '$1:').slice(0, REASON_LENGTH)
  return reason === '' ? `exit status ${status}` : reason
}

/** Runs the program `ceph` on a host. `open` is called for the first command, and again after the link was lost. */
export function cephCommands(place: CephPlace, open: () => Promise<NodeLink>): CephCommands {
  const { conf, keyring, user } = place
  const turn = pLimit(AT_ONCE)
  let opened: Promise<NodeLink> | null = null

  async function link(): Promise<NodeLink> {
    const found = await opened?.catch(() => null)
    if (found && !found.lost.aborted) return found
    return (opened = open())
  }

  async function run(words: readonly string[], signal?: AbortSignal): Promise<string> {
    const host = await link()
    const keys = keyring === null ? [] : ['--keyring', keyring]
    const how = ['--conf', conf, ...keys, '--name', user, '--connect-timeout', String(CONNECT_WITHIN_S)]
    const away = (reason: string) => problem('infrastructure.ceph_away', { reason, conf, host: host.hostname })
    const options = { withinMs: WITHIN_MS, most: MOST, ...(signal && { signal }) }
    const ended = await host.run(['ceph', ...how, ...words, '--format', 'json'], options).catch((error: unknown) => {
      if (error instanceof LinkFault && error.reason === 'timeout') throw away(`${words.join(' ')} took more than 10 s`)
      throw error
    })
    const { status, out, err } = ended
    if (status === 0) return out
    // `env` reports a program that is not installed in this way
    if (status === 127) throw problem('infrastructure.ceph_program', { host: host.hostname })
    const told = `${err}\n${out}`
    // a refusal of the cluster can follow warnings, such as about a default keyring that does not exist
    if (!/^Error E[A-Z]+:/m.test(told)) {
      const isUnanswered = told.includes('[errno 110]')
      if (!isUnanswered && /\[errno 13\]|handle_auth_bad_method|unable to find a keyring/.test(told))
        throw problem('infrastructure.ceph_not_admitted', { user })
      throw away(reasonIn(ended))
    }
    if (status === errno.access) throw problem('infrastructure.ceph_not_permitted', { user })
    throw new CephRefusal(status, { command: `ceph ${words.join(' ')}`, reason: reasonIn(ended) })
  }

  const atOnce = (words: readonly string[], signal?: AbortSignal) => turn(() => run(words, signal))
  return {
    async read(shape, words, signal) {
      const text = await atOnce(words, signal)
      let reply: unknown
      try {
        reply = JSON.parse(text)
      } catch {
        reply = undefined
      }
      const parsed = shape.safeParse(reply)
      if (parsed.success) return parsed.data
      throw problem('infrastructure.ceph_reply', { command: `ceph ${words.join(' ')}` })
    },
    async change(words, signal) {
      await atOnce(words, signal)
    },
    async close() {
      await (await opened?.catch(() => null))?.close()
      opened = null
    },
  }
}
