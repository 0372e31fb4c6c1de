import { chmod, chown, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { findProgram } from '../../../host/programs'
import { commandAs, type ServiceUser } from '../../../host/service-users'
import type { Capsule } from '../../dataplane/capsule/capsule'
import { switchSpace } from '../../../network-model/names'
import type { Dataplane } from '../../../network-model/wanted'

/*
 * Confines the processes of machines. A guest that compromises its QEMU process has only the rights of an ordinary user
 * without privileges, in a network from which the host cannot be reached. See
 * `docs/decisions/0021-guests-and-their-host.md`.
 */

export interface Confinement {
  /** The network namespace for new processes; null if this host provides none. */
  readonly capsule: Pick<Capsule, 'id' | 'enter'> | null
  /** Creates and removes taps; null if this host has no dataplane. */
  readonly switches: Pick<Dataplane, 'plug' | 'unplug'> | null
  /**
   * Returns the command line that runs a program confined in `folder` and, with `onSwitches`, in the namespace of the
   * taps.
   */
  command(
    program: string,
    args: readonly string[],
    folder: string,
    onSwitches?: boolean,
  ): { file: string; args: string[] }
  /** Makes the machine user the owner of a file or folder, and denies access to others. */
  own(path: string): Promise<void>
  /** Allows the machine user to read a file. */
  lend(path: string): Promise<void>
  /** Allows the machine user to traverse a folder without listing it. */
  letThrough(folder: string): Promise<void>
  /** Creates an empty file for a process to write, in a folder in which it may not create files. */
  provide(path: string): Promise<void>
}

interface Given {
  capsule: () => Capsule | null
  switches: () => Confinement['switches']
  /** Null if the server does not run as root; processes then run as the server's own user. */
  user: ServiceUser | null
}

/** `$0` is the folder. The umask hides a machine's files from other users. */
const inFolder = ['sh', '-c', 'umask 077 && cd "$0" && exec "$@"']
/** Enters the namespace of the taps, which has no addresses and no routes. */
const enterSwitches = ['nsenter', `--net=/run/netns/${switchSpace}`, '--']
const withoutRights = ['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all', '--no-new-privs', '--']

export async function confine({ capsule, switches, user }: Given): Promise<Confinement> {
  const groups = user ? await groupsOfKvm() : []

  function unprivileged(program: string, args: readonly string[]): string[] {
    if (user) {
      const { file, args: words } = commandAs(user, program, args, { groups })
      return [file, ...words]
    }
    // inside the capsule, an ordinary user is root and has capabilities to drop, but not outside
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

/** Returns the folder that contains all files of the engine, derived from a machine's folder. */
export const engineFolder = (machineFolder: string) => dirname(dirname(machineFolder))

/** Returns the group that owns `/dev/kvm`, if that group may use it. */
async function groupsOfKvm(): Promise<number[]> {
  const found = await stat('/dev/kvm').catch(() => null)
  return found && found.gid !== 0 && (found.mode & 0o060) === 0o060 ? [found.gid] : []
}

/** Whether machine processes may open KVM. Their user may be denied access even if root has it. */
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
