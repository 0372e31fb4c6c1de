import { createHash } from 'node:crypto'
import { problem } from '@mainstay/contract/core/problems'
import { says } from '@mainstay/contract/core/said'
import { LinkFault, needsRoot } from './link-fault'
import { NO_FILE, type Ended, type NodeLink, type Rights, type RunOptions } from './node-link'

/** Starts a program on the host. This is the only part in which links differ. */
export type Exec = (
  argv: readonly string[],
  options: { input: string; signal: AbortSignal; most: number },
) => Promise<Ended>

interface Connection {
  exec: Exec
  /** Name of the host in messages until the host has reported its own name. */
  address: string
  lost: AbortSignal
  close: () => Promise<void>
}

const WITHIN_MS = 60_000
const MOST = 8 * 1024 * 1024
/** A command that ignores SIGTERM is killed after this time. */
const KILL_AFTER_S = 2

const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Prints the host name, the username, the user ID, and `sudo` if the user can become root without a password. */
const whoAmI = `uname -n; id -un; id -u; [ "$(id -u)" = 0 ] || ! sudo -n true >/dev/null 2>&1 </dev/null || echo sudo`

const CHANGED = 75

/**
 * Replaces a file while its folder is locked. Arguments: the file, its expected hash, and the hash of the new text. The
 * new text is verified before the file is replaced, because standard input ends early if the connection is lost.
 */
const replaceFile = `set -eu
file=$(readlink -f -- "$1")
folder=$(dirname -- "$file")
hash() { sha256sum | cut -d' ' -f1; }
exec 9<"$folder"
flock -w 10 9
found=${NO_FILE}
[ ! -e "$file" ] || found=$(hash <"$file")
[ "$found" = "$2" ] || exit ${CHANGED}
if [ "$3" = ${NO_FILE} ]; then rm -f -- "$file"
else
  new=$(mktemp -- "$folder/.mainstay-XXXXXXXX")
  trap 'rm -f -- "$new"' EXIT
  cat >"$new"
  [ "$(hash <"$new")" = "$3" ]
  chmod 644 "$new"
  [ ! -e "$file" ] || cp -p --attributes-only -- "$file" "$new"
  sync -- "$new"
  mv -fT -- "$new" "$file"
fi
sync -- "$folder"`

const tagOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * Builds a link from a function that starts programs on a host. Rights, time limits, and reading and replacing files
 * are the same for all links. Throws a `LinkFault` if the host does not respond.
 */
export async function linkOver({ exec, address, lost, close }: Connection): Promise<NodeLink> {
  /**
   * Runs a command with limits. `timeout` also ends commands that outlive a lost connection, and commands of root,
   * which we may not signal.
   */
  async function bounded(
    argv: readonly string[],
    { rights, host }: { rights: Rights; host: string },
    options: RunOptions,
  ) {
    const { input = '', signal, asRoot = false, most = MOST, withinMs = WITHIN_MS } = options
    lost.throwIfAborted()
    const limit = AbortSignal.timeout(withinMs)
    const kill = [`--kill-after=${KILL_AFTER_S}`, `${Math.ceil(withinMs / 1000) + 1}`]
    const command = ['env', 'LC_ALL=C', `PATH=${path}`, 'timeout', ...kill, ...argv]
    const stop = AbortSignal.any([limit, lost, ...(signal ? [signal] : [])])
    try {
      const prefix = asRoot && rights === 'sudo' ? ['sudo', '-n', '--'] : []
      return await exec([...prefix, ...command], { input, signal: stop, most })
    } catch (error) {
      if (lost.aborted) throw lost.reason
      if (!signal?.aborted && limit.aborted)
        throw new LinkFault('timeout', says('infrastructure.host_command_timeout', { host, command: argv[0] ?? '' }))
      throw error
    }
  }

  const asked = await bounded(
    ['sh', '-c', whoAmI],
    { rights: 'none', host: address },
    { withinMs: 20_000, most: 10_000 },
  )
  const [hostname = '', user = '', uid = '', sudo = ''] = asked.out.split('\n')
  if (asked.status !== 0 || !/^\d+$/.test(uid) || hostname === '')
    throw new LinkFault('bridge_fault', says('infrastructure.host_no_shell', { host: address }))
  const rights: Rights = uid === '0' ? 'root' : sudo === 'sudo' ? 'sudo' : 'none'
  const asRoot = rights !== 'none'

  const run: NodeLink['run'] = async (argv, options = {}) => {
    if (options.asRoot && rights === 'none') throw needsRoot(hostname, user)
    return bounded(argv, { rights, host: hostname }, options)
  }
  /** The error for a file operation that failed for a reason other than a changed tag. */
  const fileProblem = (file: string, { err }: Ended) =>
    problem('infrastructure.host_file', { host: hostname, file, reason: err.trim().split('\n').at(-1) ?? '' })

  return {
    hostname,
    rights,
    run,
    async read(file) {
      const ended = await run(['cat', '--', file], { asRoot })
      if (ended.status === 0) return { text: ended.out, tag: tagOf(ended.out) }
      if (/: No such file or directory$/m.test(ended.err)) return null
      throw fileProblem(file, ended)
    },
    async replace(file, text, tag) {
      const next = text === null ? NO_FILE : tagOf(text)
      const ended = await run(['sh', '-c', replaceFile, 'sh', file, tag, next], { input: text ?? '', asRoot })
      if (ended.status === CHANGED) throw problem('infrastructure.file_changed', { host: hostname, file })
      if (ended.status !== 0) throw fileProblem(file, ended)
      return next
    },
    lost,
    close,
  }
}
