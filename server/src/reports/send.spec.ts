import { afterAll, beforeAll, expect, it } from 'vitest'
import { startReportDestination, type ReportDestination } from '../testing/outside/report-destination'
import { sendReport } from './send'

let destination: ReportDestination
beforeAll(async () => {
  destination = await startReportDestination()
})
afterAll(() => destination.close())

const archive = { id: 'r1', fileName: 'r1.tar.gz', bytes: Buffer.alloc(4 * 1024 * 1024, 1) }
const send = (options: Parameters<typeof sendReport>[2] = {}) =>
  sendReport({ url: destination.url, token: null, ca: destination.ca }, archive, options)

it('times out if the destination does not respond, and says so in the error', async () => {
  destination.answers = 'never'
  await expect(send({ withinMs: 300 })).rejects.toMatchObject({
    code: 'report_unreachable',
    message: expect.stringContaining('in time'),
  })
})

it('rejects with the caller’s abort reason', async () => {
  destination.answers = 'never'
  const stop = new AbortController()
  const sending = send({ signal: stop.signal })
  stop.abort(new Error('the server closes'))
  await expect(sending).rejects.toThrow('the server closes')
})

it('sends an archive of several megabytes, and no authorization header if there is no token', async () => {
  destination.answerNow()
  destination.taken.length = 0
  await send()
  expect(destination.taken[0]!.bytes.equals(archive.bytes)).toBe(true)
  expect(destination.taken[0]!.headers.authorization).toBeUndefined()
})
