import { chmod, chown, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { findProgram } from '../../../host/programs'
import { commandAs, type ServiceUser } from '../../../host/service-users'
import type { Capsule } from '../../dataplane/capsule/capsule'
import { switchSpace } from '../../../network-model/names'
import type { Dataplane } from '../../../network-model/wanted'

/*
 * What the processes of machines may not do. A guest that has taken its QEMU over is an ordinary user without any
 * privilege, in a network from which the host is not reached. See `docs/decisions/0021-guests-and-their-host.md`.
 */

export interface Confinement {
  /** The network namespace that new processes get; null where this host gives none. */
  readonly capsule: Pick<Capsule, 'id' | 'enter'> | null
  /** Where cards are plugged in; null where this host has no dataplane. */
  readonly switches: Pick<Dataplane, 'plug' | 'unplug'> | null
  /** The command line that runs a program of a machine confined, in that folder; `onSwitches` where taps are. */
  command(
    program: string,
    args: readonly string[],
    folder: string,
    onSwitches?: boolean,
  ): { file: string; args: string[] }
  /** Gives a file or folder to the user of machines. Nothing changes where that is the server's own. */
  own(path: string): Promise<void>
  /** Lets that user read a file, and no more. */
  lend(path: string): Promise<void>
  /** Lets that user pass through a folder to what is known there by name. */
  letThrough(folder: string): Promise<void>
  /** Makes an empty file in a folder of the server's, for a process that may write there but not make files. */
  provide(path: string): Promise<void>
}

interface Given {
  /** What the host gives now. */
  capsule: () => Capsule | null
  switches: () => Confinement['switches']
  /** Null where the server is no root: processes are of its own user. */
  user: ServiceUser | null
}

/** `$0` is the folder; what a machine writes is its own business and the server's. */
const inFolder = ['sh', '-c', 'umask 077 && cd "$0" && exec "$@"']
/** From inside the capsule to where taps are, which has no address and no way to anywhere. */
const enterSwitches = ['nsenter', `--net=/run/netns/${switchSpace}`, '--']
const withoutRights = ['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all', '--no-new-privs', '--']

export async function confine({ capsule, switches, user }: Given): Promise<Confinement> {
  const groups = user ? await groupsOfKvm() : []

  function unprivileged(program: string, args: readonly string[]): string[] {
    if (user) {
      const { file, args: words } = commandAs(user, program, args, { groups })
      return [file, ...words]
    }
    // an ordinary user has rights in the capsule, where it is root by name, and outside none to give up
    return ['setpriv', ...(capsule() ? withoutRights : ['--no-new-privs', '--']), program, ...args]
  }

  return {
    get capsule() {
      return capsule()
    },
    get switches() {
      return switches()
    },
    command(program, args, folder, onSwitches = false) {
      const [file = '', ...words] = [
        ...(capsule()?.enter() ?? []),
        ...(onSwitches ? enterSwitches : []),
        ...[...inFolder, folder, ...unprivileged(program, args)],
      ]
      return { file: findProgram(file) ?? file, args: words }
    },
    async own(path) {
      if (user) await chown(path, user.uid, user.gid)
      const isFolder = (await stat(path)).isDirectory()
      await chmod(path, isFolder ? 0o700 : 0o600)
    },
    async lend(path) {
      if (!user) return
      const { uid } = await stat(path)
      await chown(path, uid === user.uid ? 0 : uid, user.gid)
      await chmod(path, 0o640)
    },
    async letThrough(folder) {
      if (user) await chmod(folder, 0o711)
    },
    async provide(path) {
      await (await open(path, 'a', 0o600)).close()
      if (user) await chown(path, user.uid, user.gid)
      await chmod(path, 0o600)
    },
  }
}

/** The folder that all files of the engine are in, seen from a machine's. */
export const engineFolder = (machineFolder: string) => dirname(dirname(machineFolder))

/** The group to which the host has given KVM, where that is how one may use it. */
async function groupsOfKvm(): Promise<number[]> {
  const found = await stat('/dev/kvm').catch(() => null)
  return found && found.gid !== 0 && (found.mode & 0o060) === 0o060 ? [found.gid] : []
}

/** Whether the processes of machines may open KVM: root could, its user for machines perhaps not. */
export async function mayUseKvm(user: ServiceUser | null): Promise<boolean> {
  if (!user) return isReadableAndWritable('/dev/kvm')
  const found = await stat('/dev/kvm').catch(() => null)
  return found !== null && ((found.mode & 0o006) === 0o006 || (await groupsOfKvm()).length > 0)
}

const isReadableAndWritable = (path: string) =>
  open(path, 'r+').then(
    async (handle) => {
      await handle.close()
      return true
    },
    () => false,
  )
