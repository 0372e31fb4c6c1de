import { isOpen, type FileUpload } from './file-upload'

/** Time window for measuring the speed. */
const WINDOW_MS = 5000

const sizeOf = ({ file }: FileUpload) => file?.size ?? 0

/** Total and stored bytes of all files in the queue, excluding cancelled ones. */
export function bytesOfAll(uploads: readonly FileUpload[]): { total: number; done: number } {
  const counted = uploads.filter(({ status }) => status !== 'CANCELED')
  const done = counted.reduce((sum, it) => sum + (sizeOf(it) * it.progress) / 100, 0)
  return { total: counted.reduce((sum, it) => sum + sizeOf(it), 0), done: Math.round(done) }
}

/** Measures the upload speed based on the queue's state. */
export function createSpeedometer() {
  let samples: { at: number; moved: number }[] = []
  let file = { id: '', gone: 0 }
  let moved = 0
  return {
    /** Bytes per second over the last five seconds; 0 if there was no progress. `at`: time in milliseconds. */
    perSecond(uploads: readonly FileUpload[], at: number): number {
      const going = uploads.find(({ status }) => status === 'PROGRESS')
      if (going && going.id !== file.id) file = { id: going.id, gone: going.part ? going.goneBytes : 0 }
      const over = uploads.find(({ id, status }) => id === file.id && status === 'UPLOADED')
      const gone = going?.goneBytes ?? (over ? sizeOf(over) : file.gone)
      moved += Math.max(0, gone - file.gone)
      file = { ...file, gone }
      samples = [...samples.filter((it) => at - it.at <= WINDOW_MS), { at, moved }]
      const first = samples[0]!
      return uploads.some(isOpen) && at > first.at ? ((moved - first.moved) / (at - first.at)) * 1000 : 0
    },
  }
}
