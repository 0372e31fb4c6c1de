import { chmod, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { MachineDisk, MachineSpec } from '../../hypervisor'
import type { Confinement } from './confinement'

/**
 * Grants a machine's process access to a disk: read-write for its own disks, and read-only for CDs, which several
 * machines may use. Missing files are ignored, because QEMU reports them.
 */
export async function grantDisk(confinement: Confinement, { path, cdrom }: MachineDisk): Promise<void> {
  const letAtIt = async () => {
    await confinement.letThrough(dirname(path))
    await (cdrom ? confinement.lend(path) : confinement.own(path))
  }
  await letAtIt().catch(unlessMissing)
}

/** Grants access to all files that a machine requires at startup. */
export async function grantFiles(confinement: Confinement, { disks, seed }: MachineSpec): Promise<void> {
  for (const disk of disks) await grantDisk(confinement, disk)
  if (seed === null) return
  await confinement.letThrough(dirname(seed))
  await confinement.lend(seed).catch(unlessMissing)
}

/** Grants access to a file that the server created for the process to write. */
export async function grantNew(confinement: Confinement, path: string): Promise<void> {
  await confinement.letThrough(dirname(path))
  await confinement.own(path)
}

/** Restricts a machine's folder to the server, except for the machine's sockets and the files that QEMU writes. */
export async function restrictToServer(confinement: Confinement, folder: string): Promise<void> {
  await chmod(folder, 0o700)
  await confinement.letThrough(folder)
}

/** Denies other users access to the files directly in these folders, which earlier versions allowed. */
export async function closeToOthers(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (!entry.isFile()) continue
      const path = join(folder, entry.name)
      const { mode } = await stat(path)
      if (mode & 0o007) await chmod(path, mode & 0o770)
    }
  }
}

const unlessMissing = (error: unknown) => {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}
