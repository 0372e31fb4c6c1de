import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { commandAs, serviceUser, type ServiceUser } from '../host/service-users'

/*
 * How a program that reads untrusted files is started: with limits enforced by the kernel, as a user of its own if the
 * server is root, and if the kernel permits, in its own namespaces: without network, and without files other than
 * system programs and the descriptors passed to it.
 */

export interface ProgramLimits {
  /** Processor time of each of its processes. */
  cpuSeconds: number
  /** Memory that it may write to. */
  memoryBytes: number
  /** Maximum size of a file that it writes. */
  outputBytes: number
}

export interface Confinement {
  /** `namespaces`: it sees only what is passed to it. `limits`: it can read every file that its user can read. */
  kind: 'namespaces' | 'limits'
  /** The user that it runs as; null: the user of the server. */
  user: ServiceUser | null
  /**
   * Command line that runs the Node.js program `file`. `tool`, a program of this host, is passed to it as an argument.
   */
  command(file: string, tool: string, limits: ProgramLimits): { file: string; args: string[] }
}

/** The ways that may work here, the best first. Try each before relying on it. */
export async function confinements(): Promise<Confinement[]> {
  const user = await serviceUser('files')
  return [inNamespaces(user), withLimits(user)]
}

const limited = (limits: ProgramLimits, program: string, args: readonly string[]): [string, string[]] => {
  const words = [`--cpu=${limits.cpuSeconds}`, `--data=${limits.memoryBytes}`, `--fsize=${limits.outputBytes}`]
  return ['prlimit', [...words, '--core=0', '--nofile=64', '--', program, ...args]]
}

/** Arguments for Node.js that limit its memory and threads. */
const nodeWords = (file: string) => ['--max-old-space-size=64', '--v8-pool-size=1', file]

const withLimits = (user: ServiceUser | null): Confinement => ({
  kind: 'limits',
  user,
  command: (file, tool, limits) => commandAs(user, ...limited(limits, process.execPath, [...nodeWords(file), tool])),
})

const placeOfNode = '/run/node'
const placeOfProgram = '/run/program.cjs'
const placeOfTool = '/run/tool'

/** With bubblewrap (`man bwrap`). */
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
      // needed to switch to that user; setpriv drops them
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

/** Bind mounts for system programs and libraries. Where /bin is a symbolic link to /usr/bin, the same link. */
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
