import { execFile } from 'node:child_process'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { diskFull } from '../../../image-files/image-fault'

const run = promisify(execFile)
const timeoutMs = 60_000

/** Creates an empty qcow2 that only its owner can read. */
export type CreateDisk = (path: string, sizeBytes: number) => Promise<void>

/** Creates disks with qemu-img, which reads no untrusted input for this. */
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
