import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { commandAs, serviceUser, type ServiceUser } from '../host/service-users'

/*
 * Starts a program that reads untrusted files in confinement: with limits enforced by the kernel; as its own user if
 * the server runs as root; and, if the kernel permits, in its own namespaces, without a network and without any files
 * except system programs and the descriptors passed to it.
 */

export interface ProgramLimits {
  /** Processor time for each of its processes. */
  cpuSeconds: number
  /** Maximum amount of writable memory. */
  memoryBytes: number
  /** Maximum size of a file that it writes. */
  outputBytes: number
}

export interface Confinement {
  /**
   * `namespaces`: the program sees only the files that are passed to it. `limits`: it can read every file that its user
   * can read.
   */
  kind: 'namespaces' | 'limits'
  /** The user that the program runs as; null: the server's own user. */
  user: ServiceUser | null
  /**
   * Returns the command line that runs the Node.js program `file`. `tool` is a program on this host that is passed to
   * it as an argument.
   */
  command(file: string, tool: string, limits: ProgramLimits): { file: string; args: string[] }
}

/** Returns the confinements that may work on this host, best first. Try each one before relying on it. */
export async function confinements(): Promise<Confinement[]> {
  const user = await serviceUser('files')
  return [inNamespaces(user), withLimits(user)]
}

const limited = (limits: ProgramLimits, program: string, args: readonly string[]): [string, string[]] => {
  const words = [`--cpu=${limits.cpuSeconds}`, `--data=${limits.memoryBytes}`, `--fsize=${limits.outputBytes}`]
  return ['prlimit', [...words, '--core=0', '--nofile=64', '--', program, ...args]]
}

/** Returns the arguments for Node.js that limit its memory and threads. */
const nodeWords = (file: string) => ['--max-old-space-size=64', '--v8-pool-size=1', file]

const withLimits = (user: ServiceUser | null): Confinement => ({
  kind: 'limits',
  user,
  command: (file, tool, limits) => commandAs(user, ...limited(limits, process.execPath, [...nodeWords(file), tool])),
})

const placeOfNode = '/run/node'
const placeOfProgram = '/run/program.cjs'
const placeOfTool = '/run/tool'

/** Uses bubblewrap (`man bwrap`). */
const inNamespaces = (user: ServiceUser | null): Confinement => ({
  kind: 'namespaces',
  user,
  command(file, tool, limits) {
    const isPath = path.isAbsolute(tool)
    const words = [...nodeWords(placeOfProgram), isPath ? placeOfTool : tool]
    const inside = commandAs(user, ...limited(limits, placeOfNode, words))
    const args = [
      '--die-with-parent',
      // a user namespace would hide the target user from root
      ...(user ? [] : ['--unshare-user', '--disable-userns']),
      ...['--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try'],
      // required to switch to that user; setpriv drops them
      ...(user ? ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap((name) => ['--cap-add', name]) : []),
      ...systemFolders(),
      ...['--proc', '/proc', '--dev', '/dev', '--perms', '0755', '--dir', '/run'],
      ...['--ro-bind', realpathSync(process.execPath), placeOfNode, '--ro-bind', file, placeOfProgram],
      ...(isPath ? ['--ro-bind', tool, placeOfTool] : []),
      ...['--chdir', '/', '--clearenv', '--setenv', 'PATH', '/usr/bin:/usr/sbin:/bin:/sbin', '--setenv', 'LC_ALL', 'C'],
    ]
    return { file: 'bwrap', args: [...args, '--', inside.file, ...inside.args] }
  },
})

/**
 * Returns the bind mounts for system programs and libraries. If /bin is a symbolic link to /usr/bin, creates the same
 * link.
 */
const systemFolders = (): string[] => [
  ...['--ro-bind', '/usr', '/usr'],
  ...['/bin', '/sbin', '/lib', '/lib32', '/lib64'].flatMap((folder) => {
    if (!existsSync(folder)) return []
    return lstatSync(folder).isSymbolicLink()
      ? ['--symlink', readlinkSync(folder), folder]
      : ['--ro-bind', folder, folder]
  }),
  ...['--perms', '0755', '--dir', '/etc', '--ro-bind-try', '/etc/ld.so.cache', '/etc/ld.so.cache'],
  ...['--ro-bind-try', '/etc/alternatives', '/etc/alternatives'],
]
