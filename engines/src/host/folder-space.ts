import { statfs } from 'node:fs/promises'

/** Space of a file system, in bytes. `free`: space that programs without root privileges can use. */
interface FolderSpace {
  size: number
  used: number
  free: number
}

/** Returns the space of the file system that contains the folder. */
export async function spaceOf(folder: string): Promise<FolderSpace> {
  const { blocks, bfree, bavail, bsize } = await statfs(folder)
  return { size: blocks * bsize, used: (blocks - bfree) * bsize, free: bavail * bsize }
}
