/*
 * CRC-64/NVME, the checksum that S3 defines: reflected, polynomial 0xad93d23594c93659. Slicing-by-8 with eight tables,
 * each entry split into two 32-bit halves. Plain JavaScript because the content security policy forbids compiling
 * WebAssembly, even in a worker.
 */

const polynomial = { high: 0x9a_6c_93_29, low: 0xac_4b_c9_b5 }
const byteValues = 256
const lanes = 8
const high = new Uint32Array(lanes * byteValues)
const low = new Uint32Array(lanes * byteValues)

function fillTables() {
  for (let value = 0; value < byteValues; value++) {
    let [h, l] = [0, value]
    for (let bit = 0; bit < 8; bit++) {
      const isOdd = (l & 1) === 1
      l = (l >>> 1) | (h << 31)
      h >>>= 1
      if (isOdd) {
        h ^= polynomial.high
        l ^= polynomial.low
      }
    }
    high[value] = h
    low[value] = l
  }
  for (let at = byteValues; at < lanes * byteValues; at++) {
    const [h, l] = [high[at - byteValues]!, low[at - byteValues]!]
    low[at] = ((l >>> 8) | (h << 24)) ^ low[l & 0xff]!
    high[at] = (h >>> 8) ^ high[l & 0xff]!
  }
}

/** Creates an incremental CRC-64/NVME checksum. */
export function crc64nvme() {
  if (low[1] === 0) fillTables()
  let [h, l] = [-1, -1]
  return {
    update(bytes: Uint8Array): void {
      let at = 0
      for (const end = bytes.length - (bytes.length % lanes); at < end; at += lanes) {
        l ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
        h ^= bytes[at + 4]! | (bytes[at + 5]! << 8) | (bytes[at + 6]! << 16) | (bytes[at + 7]! << 24)
        const [a, b, c, d] = [
          0x7_00 | (l & 0xff),
          0x6_00 | ((l >>> 8) & 0xff),
          0x5_00 | ((l >>> 16) & 0xff),
          0x4_00 | (l >>> 24),
        ]
        const [e, f, g, i] = [0x3_00 | (h & 0xff), 0x2_00 | ((h >>> 8) & 0xff), 0x1_00 | ((h >>> 16) & 0xff), h >>> 24]
        h = high[a]! ^ high[b]! ^ high[c]! ^ high[d]! ^ high[e]! ^ high[f]! ^ high[g]! ^ high[i]!
        l = low[a]! ^ low[b]! ^ low[c]! ^ low[d]! ^ low[e]! ^ low[f]! ^ low[g]! ^ low[i]!
      }
      for (; at < bytes.length; at++) {
        const value = (l ^ bytes[at]!) & 0xff
        l = ((l >>> 8) | (h << 24)) ^ low[value]!
        h = (h >>> 8) ^ high[value]!
      }
    },
    /** Returns the eight bytes of the checksum as base64, as used in headers. */
    base64(): string {
      const bytes = new Uint8Array(8)
      const view = new DataView(bytes.buffer)
      view.setInt32(0, ~h)
      view.setInt32(4, ~l)
      return btoa(String.fromCharCode(...bytes))
    },
  }
}

/** Files are read in chunks of this size, regardless of the part size. */
const READ_BYTES = 4 * 1024 ** 2

/** Base64-encoded checksum of part of a file. Rejects if the file can no longer be read. */
export async function crcOfBlob(blob: Blob): Promise<string> {
  const crc = crc64nvme()
  for (let from = 0; from < blob.size; from += READ_BYTES)
    crc.update(new Uint8Array(await blob.slice(from, from + READ_BYTES).arrayBuffer()))
  return crc.base64()
}
