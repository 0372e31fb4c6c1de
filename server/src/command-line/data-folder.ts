import { mkdirSync, statSync } from 'node:fs'
import path from 'node:path'

/**
 * Creates the data folder and any missing parents, accessible only to the server's user. Creates them one at a time
 * because recursive `mkdir` never returns below a folder that does not allow subfolders, such as `/proc`. Returns null,
 * or an error message if it fails.
 */
export function dataFolderFault(folder: string): string | null {
  const missing: string[] = []
  for (let at = folder; !exists(at) && path.dirname(at) !== at; at = path.dirname(at)) missing.unshift(at)
  try {
    for (const each of missing) mkdirSync(each, { mode: 0o700 })
    if (statSync(folder).isDirectory()) return null
    return `The data folder ${folder} is a file. Choose a folder with MAINSTAY_DATA.`
  } catch (error) {
    const { code = '', path: at = folder } = error as NodeJS.ErrnoException
    const reasons: Record<string, string> = {
      EACCES: 'permission is denied',
      EPERM: 'permission is denied',
      ENOENT: `${path.dirname(at)} cannot hold folders`,
      ENOTDIR: `${path.dirname(at)} is a file`,
      EROFS: 'its file system is read-only',
      ENOSPC: 'its file system is full',
    }
    return `The data folder ${folder} cannot be created: ${reasons[code] ?? (error as Error).message}. Choose another one with MAINSTAY_DATA.`
  }
}

function exists(folder: string): boolean {
  try {
    return statSync(folder, { throwIfNoEntry: false }) !== undefined
  } catch {
    // part of the path is a file or inaccessible; creating the folder will report the reason
    return false
  }
}
