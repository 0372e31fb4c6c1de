import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { imageUploads } from '@mainstay/contract/compute/image-uploads'
import { images } from '@mainstay/contract/compute/images'
import { asProblem } from '../problem'
import { newUploadId, uploadResumably } from './resumable-upload'

/** A fake server that accepts a file in parts and drops the connection at the points set by the test. */
class PartTaker extends EventTarget {
  static arrived = ''
  /** Number of bytes after which each connection drops, in order; connections beyond the last entry complete. */
  static breaks: number[] = []
  static begun: { offset: number; headers: Record<string, string> }[] = []
  static answer: [status: number, body: unknown] = [202, { id: 'image' }]
  readonly upload = new EventTarget()
  readonly headers: Record<string, string> = {}
  status = 0
  responseText = ''
  open() {}
  setRequestHeader(name: string, value: string) {
    this.headers[name] = value
  }
  getResponseHeader() {
    return null
  }
  abort() {}
  send(body: Blob) {
    void body.text().then((text) => {
      PartTaker.begun.push({ offset: Number(this.headers['x-hci-upload-offset']), headers: this.headers })
      const taken = PartTaker.breaks.shift()
      PartTaker.arrived += text.slice(0, taken ?? text.length)
      this.upload.dispatchEvent(Object.assign(new Event('progress'), { loaded: text.length }))
      if (taken === undefined) {
        this.status = PartTaker.answer[0]
        this.responseText = JSON.stringify(PartTaker.answer[1])
      }
      this.dispatchEvent(new Event(taken === undefined ? 'load' : 'error'))
      this.dispatchEvent(new Event('loadend'))
    })
  }
}

const text = '0123456789'
const problemBody = (code: string) => ({
  error: { message: 'No', err_code: code, fields: {}, data: {}, request_id: 'r' },
})
/** Responses to requests for the upload offset, in order. */
let told: (() => Response)[]
const atOffset = () => Response.json({ id: 'u', size: text.length, offset: PartTaker.arrived.length })

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  Object.assign(PartTaker, { arrived: '', breaks: [], begun: [], answer: [202, { id: 'image' }] })
  told = []
  vi.stubGlobal('XMLHttpRequest', PartTaker)
  vi.stubGlobal('fetch', async () => (told.shift() ?? atOffset)())
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const realTimeout = globalThis.setTimeout
/** Advances fake time in steps of 0.5 s until the work is done. */
async function quickly<Result>(work: Promise<Result>): Promise<Result> {
  let isOver = false
  const end = () => {
    isOver = true
  }
  work.then(end, end)
  while (!isOver) {
    await new Promise<void>((resolve) => void realTimeout(resolve, 1))
    await vi.advanceTimersByTimeAsync(500)
  }
  return work
}

/** Mock that resolves with the token of the renewed session. */
const renew = vi.fn<() => Promise<string | null>>()
const send = (options: { isBegun?: boolean; signal?: AbortSignal; onProgress?: (sent: number) => void } = {}) => {
  const { isBegun = false, signal = new AbortController().signal, onProgress = () => {} } = options
  const file = new File([text], 'disk.raw')
  const input = {
    calls: imageUploads,
    id: newUploadId(),
    file,
    token: 'a token',
    isBegun,
    headers: { 'x-name': 'disk' },
    renew,
  }
  return quickly(uploadResumably(images.create, input, { signal, onProgress }))
}
const offsets = () => PartTaker.begun.map(({ offset }) => offset)

describe('resumable upload', () => {
  test('makes a single call with the upload ID if nothing interrupts it', async () => {
    expect(await send()).toEqual({ id: 'image' })
    const { headers } = PartTaker.begun[0]!
    expect(headers).toMatchObject({
      'x-auth-token': 'a token',
      'x-name': 'disk',
      'x-hci-upload-size': '10',
      'x-hci-upload-offset': '0',
    })
    expect(headers['x-hci-upload-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  const over = () => Response.json(problemBody('unauthorized'), { status: 401 })

  test('continues with a new token when the session has expired', async () => {
    renew.mockResolvedValue('another token')
    PartTaker.breaks = [4]
    told = [over]
    expect(await send()).toEqual({ id: 'image' })
    expect(PartTaker.begun.map(({ offset, headers }) => [offset, headers['x-auth-token']])).toEqual([
      [0, 'a token'],
      [4, 'another token'],
    ])
  })

  test('fails if the user does not sign in again or the new token is also rejected', async () => {
    renew.mockResolvedValue(null)
    PartTaker.answer = [401, problemBody('unauthorized')]
    await expect(send()).rejects.toMatchObject({ status: 401 })
    expect(PartTaker.begun).toHaveLength(1)
    renew.mockClear().mockResolvedValue('never good')
    await expect(send()).rejects.toMatchObject({ status: 401 })
    expect(renew.mock.calls.length).toBeLessThan(20)
  })

  test('resumes from the last byte received after every interruption', async () => {
    PartTaker.breaks = [4, 3]
    const progress: number[] = []
    expect(await send({ onProgress: (sent) => progress.push(sent) })).toEqual({ id: 'image' })
    expect(PartTaker.arrived).toBe(text)
    expect(offsets()).toEqual([0, 4, 7])
    expect(progress.at(-1)).toBe(10)
    expect(new Set(PartTaker.begun.map(({ headers }) => headers['x-hci-upload-id'])).size).toBe(1)
  })

  test('retries until a server reports the offset', async () => {
    PartTaker.breaks = [4]
    told = [
      () => {
        throw new TypeError('no network')
      },
      () => new Response('<html>', { status: 502 }),
      () => Response.json(problemBody('upload_elsewhere'), { status: 409 }),
    ]
    await send()
    expect(PartTaker.arrived).toBe(text)
  })

  test('starts over when the server no longer knows the upload', async () => {
    PartTaker.breaks = [4]
    told = [
      () => {
        PartTaker.arrived = ''
        return Response.json(problemBody('not_found'), { status: 404 })
      },
    ]
    await send()
    expect(offsets()).toEqual([0, 0])
    expect(PartTaker.arrived).toBe(text)
  })

  test('requests the offset first if another page started the upload', async () => {
    PartTaker.arrived = '01234'
    await send({ isBegun: true })
    expect(offsets()).toEqual([5])
    expect(PartTaker.arrived).toBe(text)
  })

  test('fails when the server rejects the data', async () => {
    PartTaker.breaks = [4]
    told = [() => Response.json(problemBody('image_format_unsupported'), { status: 422 })]
    await expect(send()).rejects.toMatchObject({ code: 'image_format_unsupported' })
    PartTaker.answer = [503, problemBody('engine_unavailable')]
    await expect(send()).rejects.toMatchObject({ code: 'engine_unavailable' })
  })

  test('fails when the server stays unreachable', async () => {
    PartTaker.breaks = [4]
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')))
    await expect(send()).rejects.toMatchObject({ kind: 'network' })
  })

  test('fails after repeated attempts without progress', async () => {
    PartTaker.breaks = Array.from({ length: 50 }, () => 0)
    await expect(send()).rejects.toMatchObject({ kind: 'network' })
    expect(offsets().length).toBeLessThan(15)
  })

  test('stops when the user cancels it', async () => {
    PartTaker.breaks = [4]
    const controller = new AbortController()
    vi.stubGlobal('fetch', () => {
      controller.abort()
      return Promise.reject(new TypeError('no network'))
    })
    await expect(send({ signal: controller.signal }).catch((error: unknown) => asProblem(error).kind)).resolves.toBe(
      'cancelled',
    )
  })
})
