/** Maximum length of a frame from a bridge. Bridges split the output of programs into frames of at most 64 KiB. */
export const MOST_FRAME = 16 * 1024 * 1024
const MOST_DIGITS = 8
const NEWLINE = 10

/**
 * Builds a frame for cockpit-bridge: `LENGTH\nCHANNEL\nPAYLOAD`, where the length covers the channel and the payload.
 */
export const frameOf = (channel: string, payload: Buffer | string): Buffer => {
  const body = Buffer.concat([Buffer.from(`${channel}\n`), Buffer.from(payload)])
  return Buffer.concat([Buffer.from(`${body.length}\n`), body])
}

/** Splits a stream of bytes into frames. Keeps at most one frame in memory. */
export class FrameReader {
  private pieces: Buffer[] = []
  private held = 0
  /** Length of the frame that is being read; null while its length is being read. */
  private wanted: number | null = null

  private readonly onFrame: (channel: string, payload: Buffer) => void

  constructor(onFrame: (channel: string, payload: Buffer) => void) {
    this.onFrame = onFrame
  }

  /** Whether a frame has been read only in part. */
  get isWithinFrame(): boolean {
    return this.held > 0 || this.wanted !== null
  }

  /** Adds bytes from the stream. Throws an error with the reason if they are not valid frames. */
  push(bytes: Buffer): void {
    let rest = bytes
    while (rest.length > 0) {
      const missing = this.wanted === null ? this.missingOfLength(rest) : this.wanted - this.held
      const piece = rest.subarray(0, missing)
      this.pieces.push(piece)
      this.held += piece.length
      rest = rest.subarray(piece.length)
      if (this.wanted === null) this.endLength(piece)
      else if (this.held === this.wanted) this.endFrame()
    }
  }

  private missingOfLength(bytes: Buffer): number {
    const end = bytes.subarray(0, MOST_DIGITS + 1).indexOf(NEWLINE)
    return end < 0 ? Math.min(bytes.length, MOST_DIGITS + 1) : end + 1
  }

  private endLength(last: Buffer): void {
    const isWhole = last.at(-1) === NEWLINE
    if (!isWhole && this.held <= MOST_DIGITS && /^\d*$/.test(last.toString('latin1'))) return
    const text = this.take().toString('latin1')
    if (!/^\d{1,8}\n$/.test(text)) throw new Error(`it sent ${JSON.stringify(text)} instead of the length of a frame`)
    this.wanted = Number(text)
    if (this.wanted > MOST_FRAME)
      throw new Error(`it sent a frame of ${this.wanted} bytes, and ${MOST_FRAME} are allowed`)
    if (this.wanted === 0) throw new Error('it sent an empty frame')
  }

  private endFrame(): void {
    const body = this.take()
    this.wanted = null
    const end = body.indexOf(NEWLINE)
    if (end < 0) throw new Error('it sent a frame without a channel')
    this.onFrame(body.subarray(0, end).toString(), body.subarray(end + 1))
  }

  private take(): Buffer {
    const all = Buffer.concat(this.pieces)
    this.pieces = []
    this.held = 0
    return all
  }
}
