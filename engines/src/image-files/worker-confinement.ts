import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { commandAs, serviceUser, type ServiceUser } from '../host/service-users'

/*
 * How a program that reads files of strangers is started: with limits that the kernel keeps, as a user of its own where
 * the server is root, and where the kernel lets it, in namespaces of its own: without a network, without any file but the
 * system's programs and those that it was handed as open descriptors.
 */

export interface ProgramLimits {
  /** Processor time of each of its processes. */
  cpuSeconds: number
  /** Memory that it may write to. */
  memoryBytes: number
  /** How large a file may get by what it writes. */
  outputBytes: number
}

export interface Confinement {
  /** `namespaces`: it sees nothing but what it is given. `limits`: what its user may read is there for it to see. */
  kind: 'namespaces' | 'limits'
  /** Whose files it can open; null where it is the server's own user. */
  user: ServiceUser | null
  /** The command line that runs a program of Node, `file`, and tells it where it finds `tool`, a program of this machine. */
  command(file: string, tool: string, limits: ProgramLimits): { file: string; args: string[] }
}

/** What may be possible here, the best first. Each is to be tried before it is relied upon. */
export async function confinements(): Promise<Confinement[]> {
  const user = await serviceUser('files')
  return [inNamespaces(user), withLimits(user)]
}

const limited = (limits: ProgramLimits, program: string, args: readonly string[]): [string, string[]] => {
  const words = [`--cpu=${limits.cpuSeconds}`, `--data=${limits.memoryBytes}`, `--fsize=${limits.outputBytes}`]
  return ['prlimit', [...words, '--core=0', '--nofile=64', '--', program, ...args]]
}

/** What the program needs of Node: little memory, and no more than the file that it is. */
const nodeWords = (file: string) => ['--max-old-space-size=64', '--v8-pool-size=1', file]

const withLimits = (user: ServiceUser | null): Confinement => ({
  kind: 'limits',
  user,
  command: (file, tool, limits) => commandAs(user, ...limited(limits, process.execPath, [...nodeWords(file), tool])),
})

const placeOfNode = '/run/node'
const placeOfProgram = '/run/program.cjs'
const placeOfTool = '/run/tool'

/** By bubblewrap (`man bwrap`). */
const inNamespaces = (user: ServiceUser | null): Confinement => ({
  kind: 'namespaces',
  user,
  command(file, tool, limits) {
    const isPath = path.isAbsolute(tool)
    const words = [...nodeWords(placeOfProgram), isPath ? placeOfTool : tool]
    const inside = commandAs(user, ...limited(limits, placeOfNode, words))
    const args = [
      '--die-with-parent',
      // a user namespace would hide from root the user that the program is to become
      ...(user ? [] : ['--unshare-user', '--disable-userns']),
      ...['--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try'],
      // to become that user; setpriv gives them up
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

/** Programs and libraries of the system; where /bin is a link to /usr/bin, the same link. */
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
