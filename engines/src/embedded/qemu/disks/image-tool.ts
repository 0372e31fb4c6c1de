import { execFile } from 'node:child_process'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { diskFull } from '../../../image-files/image-fault'

const run = promisify(execFile)
const timeoutMs = 60_000

/** Makes an empty qcow2 that only its owner reads. */
export type CreateDisk = (path: string, sizeBytes: number) => Promise<void>

/** By qemu-img, which reads nothing for it that anybody else wrote. */
export const createBy =
  (program: string): CreateDisk =>
  async (path, sizeBytes) => {
    await (await open(path, 'wx', 0o600)).close()
    await run(program, ['create', '-q', '-f', 'qcow2', path, String(sizeBytes)], { timeout: timeoutMs }).catch(
      (error: Error & { stderr?: string }) => {
        throw /No space left on device/i.test(error.stderr ?? '') ? diskFull() : error
      },
    )
  }
