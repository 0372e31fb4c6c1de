import { chmod, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { MachineDisk, MachineSpec } from '../../hypervisor'
import type { Confinement } from './confinement'

/**
 * Lets the process of a machine at a disk: to write to its own, only to read one that many have. What is missing is
 * QEMU's to complain of.
 */
export async function grantDisk(confinement: Confinement, { path, cdrom }: MachineDisk): Promise<void> {
  const letAtIt = async () => {
    await confinement.letThrough(dirname(path))
    await (cdrom ? confinement.lend(path) : confinement.own(path))
  }
  await letAtIt().catch(unlessMissing)
}

/** The same for all files that a machine starts with. */
export async function grantFiles(confinement: Confinement, { disks, seed }: MachineSpec): Promise<void> {
  for (const disk of disks) await grantDisk(confinement, disk)
  if (seed === null) return
  await confinement.letThrough(dirname(seed))
  await confinement.lend(seed).catch(unlessMissing)
}

/** A file that the process will be told to write, made by us. */
export async function grantNew(confinement: Confinement, path: string): Promise<void> {
  await confinement.letThrough(dirname(path))
  await confinement.own(path)
}

/** Keeps what is in a machine's folder to the server, but for the folder of sockets and the files that QEMU fills. */
export async function restrictToServer(confinement: Confinement, folder: string): Promise<void> {
  await chmod(folder, 0o700)
  await confinement.letThrough(folder)
}

/** Takes what earlier versions let everybody read out of others' hands: files that are right in these folders. */
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
