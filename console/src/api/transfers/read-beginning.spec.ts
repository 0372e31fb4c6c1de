import { afterEach, expect, it, vi } from 'vitest'
import { backupFiles } from '@mainstay/contract/storage/backup-files'
import { callForBeginning } from './read-beginning'

afterEach(() => void vi.unstubAllGlobals())

const input = { params: { id: 'a-point' }, query: { file_system: 'part1', path: '/a' } }
const read = (most: number) => callForBeginning(backupFiles.download, input, most)
/** Answers with parts of this many bytes, then fails if `fault` is set. */
function answer(sizes: number[], fault?: Error) {
  const cancelled = vi.fn()
  const left = [...sizes]
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const size = left.shift()
      if (size !== undefined) controller.enqueue(new Uint8Array(size).fill(sizes.length - left.length))
      else if (fault) controller.error(fault)
      else controller.close()
    },
    cancel: cancelled,
  })
  vi.stubGlobal('fetch', async () => new Response(body))
  return cancelled
}

it('reads the beginning of a download, and closes the connection', async () => {
  const cancelled = answer([2, 3, 1000, 1000])
  expect(await read(7)).toEqual({ bytes: Uint8Array.from([1, 1, 2, 2, 2, 3, 3]), isCut: true })
  expect(cancelled).toHaveBeenCalledOnce()
})

it('reads a download that is not longer to its end', async () => {
  answer([2, 3])
  expect(await read(5)).toEqual({ bytes: Uint8Array.from([1, 1, 2, 2, 2]), isCut: false })
  answer([])
  expect(await read(5)).toEqual({ bytes: new Uint8Array(), isCut: false })
})

it('rejects if the download breaks off', async () => {
  answer([2], new TypeError('terminated'))
  await expect(read(5)).rejects.toMatchObject({ kind: 'unreadable', status: 200 })
})
