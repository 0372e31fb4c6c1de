import { crcOfBlob } from './crc64nvme'

/** A request from the page. `id` is returned with the response. */
export interface ChecksumQuestion {
  id: number
  blob: Blob
}
/** `crc` is null if the file could not be read. */
export interface ChecksumAnswer {
  id: number
  crc: string | null
}

addEventListener('message', ({ data: { id, blob } }: MessageEvent<ChecksumQuestion>) => {
  const answer = (crc: string | null) => postMessage({ id, crc } satisfies ChecksumAnswer)
  crcOfBlob(blob).then(answer, () => answer(null))
})
