import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { removeData } from '../../server/src/testing/server-program'

/**
 * Lets `work` create data folders. Afterwards, even after a failure, removes them and ends processes that still use
 * them.
 */
export async function withFolders<Result>(work: (folder: () => Promise<string>) => Promise<Result>): Promise<Result> {
  const made: string[] = []
  try {
    return await work(async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-bench-'))
      made.push(folder)
      return folder
    })
  } finally {
    for (const folder of made) await removeData(folder)
  }
}
